"""Faster ways to compute what diffusers' spatio-temporal blocks compute: everything channels-last, a convolution along time as one of 3×1 over
the frames' pixels, which needs no other order of the numbers, GroupNorm and SiLU at once. Names and weights stay diffusers' own.
"""
from functools import partial

import fused_group_norm
import torch
import torch.nn as nn
import torch.nn.functional as F
import world  # noqa: F401
from session import say

norm_silu = fused_group_norm.plain


def prepare(device):
    """Takes the fused kernels where they agree with PyTorch's own operations."""
    global norm_silu
    if device != "cuda":
        return
    try:
        worst = fused_group_norm.differences(device)
        say(f"fused norm: largest relative difference {worst:.1e}")
        if worst < 1e-2:
            norm_silu = fused_group_norm.fused
    except Exception as problem:
        say("fused norm left out:", repr(problem)[:300])


def along_time(x, weight, bias):
    """Convolution of [n, C, T, H, W] by a kernel [O, C, 3, 1, 1]."""
    n, c, t, h, w = x.shape
    y = x.permute(0, 2, 3, 4, 1).reshape(n, t, h * w, c).permute(0, 3, 1, 2)
    y = F.conv2d(y, weight[..., 0], bias, padding=(1, 0))
    return y.permute(0, 2, 3, 1).reshape(n, t, h, w, -1).permute(0, 4, 1, 2, 3)


class TimeConvolution(nn.Conv3d):
    def forward(self, x):
        return along_time(x, self.weight, self.bias)


def quicken_convolutions(model):
    for m in model.modules():
        if isinstance(m, nn.Conv2d):
            m.to(memory_format=torch.channels_last)
        elif type(m) is nn.Conv3d and m.kernel_size == (3, 1, 1):
            m.__class__ = TimeConvolution
    return model


def spatial_block(block, x, temb=None):
    h = block.conv1(norm_silu(x, block.norm1, len(x)))
    h = block.conv2(norm_silu(h, block.norm2, len(h)))
    return (x if block.conv_shortcut is None else block.conv_shortcut(x)) + h


def mixed_block(block, x, temb=None, image_only_indicator=None):
    """Blend of the spatial block's result and the temporal one's: the share that counts is folded into the last kernel."""
    x = spatial_block(block.spatial_res_block, x)
    time, n = block.temporal_res_block, len(image_only_indicator)
    frames = lambda v: v.unflatten(0, (n, -1)).transpose(1, 2)
    back = lambda v: v.transpose(1, 2).flatten(0, 1)
    share = block.time_mixer.mix_factor.sigmoid()
    h = back(along_time(frames(norm_silu(x, time.norm1, n)), time.conv1.weight, time.conv1.bias))
    return x + back(along_time(frames(norm_silu(h, time.norm2, n)), time.conv2.weight * share, time.conv2.bias * share))


def quicken_autoencoder(vae):
    from diffusers.models.resnet import ResnetBlock2D, SpatioTemporalResBlock
    from diffusers.models.upsampling import Upsample2D
    for m in vae.modules():
        if isinstance(m, ResnetBlock2D):
            m.forward = partial(spatial_block, m)
        elif isinstance(m, SpatioTemporalResBlock):
            m.forward = partial(mixed_block, m)
        elif isinstance(m, Upsample2D):
            m.forward = lambda x, m=m: m.conv(F.interpolate(x, scale_factor=2.0))
    for part in (vae.encoder, vae.decoder):
        part.conv_norm_out.forward = lambda x, m=part.conv_norm_out: norm_silu(x, m, len(x))
        part.conv_act = nn.Identity()
    return quicken_convolutions(vae)
