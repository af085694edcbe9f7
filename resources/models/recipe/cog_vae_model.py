"""CogVideoX's causal video VAE on whole clips, with the parameter names of diffusers' AutoencoderKLCogVideoX.

diffusers works through a clip in pieces of 8 frames (the first of 9) with a cache for the convolutions; its group norms see
one piece at a time. Here a clip is one tensor: convolutions need no pieces, norms take their statistics piece by piece.
A norm is x → x·p + q with p and q constant over the pixels of a cell: in the decoder they depend on the latent there.
"""
import functools

import torch
import torch.nn as nn
import torch.nn.functional as F

CONFIG = dict(block_out_channels=[16, 32, 64, 80], layers_per_block=1, norm_num_groups=8, latent_channels=16,
              sample_height=144, sample_width=256, scaling_factor=0.7)
GROUPS, PIECE, EPS = CONFIG["norm_num_groups"], 8, 1e-6


@functools.lru_cache
def pieces(frames, whole, device="cpu"):
    """Which frames share statistics: a matrix [frames, frames] of averages. whole: frames of a piece after the first."""
    first = torch.arange(frames).sub(1).clamp_min(0) // max(whole, 1)
    same = (first[:, None] == first[None]).float()
    return (same / same.sum(1, keepdim=True)).to(device)


def group_maps(first, second, averages, weight, bias, y=None, z=None):
    """p and q ([B, C, T, h, w]) of a group norm from the frames' means of x and x² ([B, C, T]), times y, plus z."""
    with torch.autocast(first.device.type, enabled=False):
        b, c, t = first.shape
        first, second = (s.reshape(b, GROUPS, -1, t).mean(2) @ averages.T for s in (first, second))
        scale = torch.rsqrt((second - first * first).clamp_min(0) + EPS)
        scale, mean = (s[:, :, None].expand(b, GROUPS, c // GROUPS, t).reshape(b, c, t) for s in (scale, first))
        p = scale * weight.view(1, c, 1)
        q = bias.view(1, c, 1) - mean * p
        p, q = p[..., None, None], q[..., None, None]
        return (p, q) if y is None else (p * y.float(), q * y.float() + z.float())


def plain_affine(x, averages, weight, bias, y, z, act, lead):
    """The norm (GroupNorm, then times y plus z), silu with `act`, and `lead` copies of the first frame before it."""
    v = x.float()
    p, q = group_maps(v.mean((3, 4)), (v * v).mean((3, 4)), averages, weight, bias, y, z)
    b, c, t, h, w = x.shape
    ph, pw = p.shape[3:]
    v = v.reshape(b, c, t, ph, h // ph, pw, w // pw)
    v = (v * p[:, :, :, :, None, :, None] + q[:, :, :, :, None, :, None]).reshape(x.shape)
    v = (F.silu(v) if act else v).to(x.dtype)
    return torch.cat([v[:, :, :1]] * lead + [v], 2) if lead else v


class Kernels:
    affine = staticmethod(plain_affine)  # replaced by fused_affine.affine on a GPU


class Norm(nn.GroupNorm):
    def __init__(self, channels):
        super().__init__(GROUPS, channels, EPS)

    def forward(self, x, _, whole, act=True, lead=2):
        averages = pieces(x.shape[2], whole, x.device)
        return Kernels.affine(x, averages, self.weight, self.bias, None, None, act, lead)


class CausalConv3d(nn.Module):
    def __init__(self, i, o, kernel=3):
        super().__init__()
        self.conv = nn.Conv3d(i, o, kernel, padding=(0, kernel // 2, kernel // 2))

    def forward(self, x, lead=0):
        """lead: frames that are still missing before the first."""
        return self.conv(torch.cat([x[:, :, :1]] * lead + [x], 2) if lead else x)


class SpatialNorm(nn.Module):
    def __init__(self, channels, latent):
        super().__init__()
        self.norm_layer = nn.GroupNorm(GROUPS, channels, EPS)
        self.conv_y, self.conv_b = CausalConv3d(latent, channels, 1), CausalConv3d(latent, channels, 1)
        nn.init.ones_(self.conv_y.conv.bias)
        nn.init.zeros_(self.conv_b.conv.bias)
        for conv in (self.conv_y.conv, self.conv_b.conv):
            conv.weight.data.mul_(0.3)

    def forward(self, x, zq, whole, act=True, lead=2):
        averages, t = pieces(x.shape[2], whole, x.device), x.shape[2]
        maps = []
        for conv in (self.conv_y.conv, self.conv_b.conv):
            m = F.conv3d(zq.float(), conv.weight, conv.bias)
            if t > zq.shape[2]:  # the first frame stands alone
                m = torch.cat([m[:, :, :1], m[:, :, 1:].repeat_interleave((t - 1) // (zq.shape[2] - 1), 2)], 2)
            maps.append(m)
        return Kernels.affine(x, averages, self.norm_layer.weight, self.norm_layer.bias, *maps, act, lead)


class ResidualBlock(nn.Module):
    def __init__(self, i, o, latent=None):
        super().__init__()
        norm = (lambda c: SpatialNorm(c, latent)) if latent else Norm
        self.norm1, self.norm2, self.conv1, self.conv2 = norm(i), norm(o), CausalConv3d(i, o), CausalConv3d(o, o)
        if i != o:
            self.conv_shortcut = nn.Conv3d(i, o, 1)

    def forward(self, x, zq, whole):
        h = self.conv1(self.norm1(x, zq, whole))
        h = self.conv2(self.norm2(h, zq, whole))
        return h + (self.conv_shortcut(x) if hasattr(self, "conv_shortcut") else x)


class Resample(nn.Module):
    """Halves or doubles the sides, and with `time` the frames but for the first."""

    def __init__(self, channels, up, time):
        super().__init__()
        self.up, self.time = up, time
        self.conv = nn.Conv2d(channels, channels, 3, padding=1) if up else nn.Conv2d(channels, channels, 3, stride=2)

    def forward(self, x):
        v = x.permute(0, 2, 3, 4, 1)
        if self.time and v.shape[1] > 1:
            rest = v[:, 1:]
            rest = rest.repeat_interleave(2, 1) if self.up else (rest[:, ::2] + rest[:, 1::2]) * 0.5
            v = torch.cat([v[:, :1], rest], 1)
        b, t, h, w, c = v.shape
        y = v.reshape(b * t, h, w, c).permute(0, 3, 1, 2)
        y = F.interpolate(y, scale_factor=2.0, mode="nearest") if self.up else F.pad(y, (0, 1, 0, 1))
        y = self.conv(y)
        return y.view(b, t, *y.shape[1:]).permute(0, 2, 1, 3, 4)


class Stage(nn.Module):
    def __init__(self, i, o, blocks, latent=None, up=False, time=False, last=False):
        super().__init__()
        self.resnets = nn.ModuleList([ResidualBlock(i if k == 0 else o, o, latent) for k in range(blocks)])
        if not last:
            setattr(self, "upsamplers" if up else "downsamplers", nn.ModuleList([Resample(o, up, time)]))

    def forward(self, x, zq, whole):
        for block in self.resnets:
            x = block(x, zq, whole)
        for resample in getattr(self, "upsamplers", getattr(self, "downsamplers", [])):
            x = resample(x)
        return x


class Encoder(nn.Module):
    def __init__(self, widths, latent, blocks):
        super().__init__()
        self.conv_in = CausalConv3d(3, widths[0])
        self.down_blocks = nn.ModuleList([Stage(widths[max(k - 1, 0)], w, blocks, time=k < 2, last=k == len(widths) - 1)
                                          for k, w in enumerate(widths)])
        self.mid_block = Stage(widths[-1], widths[-1], 2, last=True)
        self.norm_out, self.conv_out = Norm(widths[-1]), CausalConv3d(widths[-1], 2 * latent)

    def forward(self, x):
        x, whole = self.conv_in(x, 2), PIECE
        for k, block in enumerate(self.down_blocks):
            x = block(x, None, whole)
            whole = whole // 2 if k < 2 else whole
        return self.conv_out(self.norm_out(self.mid_block(x, None, whole), None, whole))


class Decoder(nn.Module):
    def __init__(self, widths, latent, blocks):
        super().__init__()
        widths = widths[::-1]
        self.conv_in, self.mid_block = CausalConv3d(latent, widths[0]), Stage(widths[0], widths[0], 2, latent, last=True)
        self.up_blocks = nn.ModuleList([Stage(widths[max(k - 1, 0)], w, blocks + 1, latent, True, k < 2, k == len(widths) - 1)
                                        for k, w in enumerate(widths)])
        self.norm_out, self.conv_out = SpatialNorm(widths[-1], latent), CausalConv3d(widths[-1], 3)

    def forward(self, z):
        whole = PIECE // 4
        x = self.mid_block(self.conv_in(z, 2), z, whole)
        for k, block in enumerate(self.up_blocks):
            x = block(x, z, whole)
            whole = whole * 2 if k < 2 else whole
        return self.conv_out(self.norm_out(x, z, whole))


class CogVAE(nn.Module):
    def __init__(self):
        super().__init__()
        widths, latent, blocks = CONFIG["block_out_channels"], CONFIG["latent_channels"], CONFIG["layers_per_block"]
        self.encoder, self.decoder = Encoder(widths, latent, blocks), Decoder(widths, latent, blocks)
        for m in self.modules():
            if isinstance(m, ResidualBlock):
                m.conv2.conv.weight.data.mul_(0.5)

    def encode(self, x):
        mean, logvar = self.encoder(x).float().chunk(2, 1)
        return mean, logvar.clamp(-30, 20)

    def decode(self, z):
        return self.decoder(z)

    @torch.no_grad()
    def fold(self, mean, std):
        """Moves the latents' mean to 0 and their standard deviation to 1 / scaling_factor: CogVideoX has one number for both.
        Exact but for the mean at a frame's border, where convolutions see zeros: what is trained afterwards mends that."""
        std = std * CONFIG["scaling_factor"]
        out, into = self.encoder.conv_out.conv, self.decoder.conv_in.conv
        n = len(mean)
        for p in (out.weight, out.bias):
            rows = p[:n]
            rows.copy_((rows - mean if p.dim() == 1 else rows) / std.view(-1, *[1] * (p.dim() - 1)))
        out.bias[n:] -= 2 * std.log()
        into.bias += torch.einsum("oithw,i->o", into.weight, mean)
        into.weight.mul_(std.view(1, -1, 1, 1, 1))
        for m in self.modules():
            if isinstance(m, SpatialNorm):
                for conv in (m.conv_y.conv, m.conv_b.conv):
                    conv.bias += conv.weight.flatten(1) @ mean
                    conv.weight.mul_(std.view(1, -1, 1, 1, 1))
