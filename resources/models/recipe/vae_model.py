"""Wan 2.1's causal video VAE on whole clips, with the parameter names of diffusers' AutoencoderKLWan.

diffusers works through a clip in chunks with a feature cache; training needs the whole clip at once. Both compute the same.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def plain_norm(x, gamma, act, lead):
    y = x.float()
    y = y * torch.rsqrt((y * y).sum(1, keepdim=True).clamp_min(1e-24)) * (math.sqrt(x.shape[1]) * gamma)
    y = (F.silu(y) if act else y).to(x.dtype)
    return F.pad(y, (0, 0, 0, 0, lead, 0)) if lead else y


class Kernels:
    norm = staticmethod(plain_norm)  # replaced by fused_norm.norm on a GPU


class CausalConv3d(nn.Conv3d):
    def forward(self, x, padded=False):
        kt, kh, _ = self.kernel_size
        if not padded and kt > 1:
            x = F.pad(x, (0, 0, 0, 0, kt - 1, 0))
        if kh == 1:
            return F.conv3d(x, self.weight, self.bias)
        return F.conv3d(x, self.weight, self.bias, padding=(0, 1, 1))


class RMSNorm(nn.Module):
    def __init__(self, dim, images=True):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones((dim, 1, 1) if images else (dim, 1, 1, 1)))

    def forward(self, x, act=False, lead=0):
        return Kernels.norm(x, self.gamma, act, lead)


class ResidualBlock(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.norm1, self.conv1 = RMSNorm(i, False), CausalConv3d(i, o, 3)
        self.norm2, self.conv2 = RMSNorm(o, False), CausalConv3d(o, o, 3)
        self.conv_shortcut = CausalConv3d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x):
        h = self.conv1(self.norm1(x, True, 2), padded=True)
        return self.conv2(self.norm2(h, True, 2), padded=True) + self.conv_shortcut(x)


class Resample(nn.Module):
    def __init__(self, dim, mode):
        super().__init__()
        self.mode = mode
        if mode.startswith("up"):
            self.resample = nn.Sequential(nn.Identity(), nn.Conv2d(dim, dim // 2, 3, padding=1))
            if mode == "up3":
                self.time_conv = CausalConv3d(dim, dim * 2, (3, 1, 1))
        else:
            self.resample = nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(dim, dim, 3, stride=2))
            if mode == "down3":
                self.time_conv = CausalConv3d(dim, dim, (3, 1, 1), stride=(2, 1, 1))

    def forward(self, x):
        b, c, t, h, w = x.shape
        if self.mode == "up3" and t > 1:  # the first frame stands alone and is not doubled
            y = self.time_conv(x[:, :, 1:]).view(b, 2, c, t - 1, h, w)
            x = torch.cat([x[:, :, :1], torch.stack((y[:, 0], y[:, 1]), 3).reshape(b, c, 2 * (t - 1), h, w)], 2)
            t = x.shape[2]
        y = x.permute(0, 2, 1, 3, 4).reshape(b * t, c, h, w)
        if self.mode.startswith("up"):
            y = F.interpolate(y, scale_factor=2.0, mode="nearest")
        y = self.resample(y)
        y = y.view(b, t, *y.shape[1:]).permute(0, 2, 1, 3, 4)
        if self.mode == "down3" and t > 1:
            y = torch.cat([y[:, :, :1], F.conv3d(y, self.time_conv.weight, self.time_conv.bias, stride=(2, 1, 1))], 2)
        return y


class Attention2d(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm, self.to_qkv, self.proj = RMSNorm(dim), nn.Conv2d(dim, 3 * dim, 1), nn.Conv2d(dim, dim, 1)

    def forward(self, x):
        b, c, t, h, w = x.shape
        y = self.norm(x.permute(0, 2, 1, 3, 4).reshape(b * t, c, h, w))
        q, k, v = self.to_qkv(y).reshape(b * t, 1, 3 * c, h * w).permute(0, 1, 3, 2).contiguous().chunk(3, -1)
        y = ((q @ k.mT).float() * c**-0.5).softmax(-1).type_as(v) @ v  # cheap here: at most 576 keys
        y = y.squeeze(1).permute(0, 2, 1).reshape(b * t, c, h, w)
        return self.proj(y).view(b, t, c, h, w).permute(0, 2, 1, 3, 4) + x


class MidBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.attentions = nn.ModuleList([Attention2d(dim)])
        self.resnets = nn.ModuleList([ResidualBlock(dim, dim), ResidualBlock(dim, dim)])

    def forward(self, x):
        return self.resnets[1](self.attentions[0](self.resnets[0](x)))


class UpBlock(nn.Module):
    def __init__(self, i, o, blocks, mode):
        super().__init__()
        self.resnets = nn.ModuleList([ResidualBlock(i if k == 0 else o, o) for k in range(blocks + 1)])
        self.upsamplers = nn.ModuleList([Resample(o, mode)]) if mode else None

    def forward(self, x):
        for block in self.resnets:
            x = block(x)
        return self.upsamplers[0](x) if self.upsamplers else x


class Encoder(nn.Module):
    def __init__(self, dim, out, mult, blocks, temporal):
        super().__init__()
        dims, layers = [dim * m for m in [1] + mult], []
        self.conv_in = CausalConv3d(3, dims[0], 3)
        for i, (a, b) in enumerate(zip(dims[:-1], dims[1:])):
            layers += [ResidualBlock(a if k == 0 else b, b) for k in range(blocks)]
            if i != len(mult) - 1:
                layers.append(Resample(b, "down3" if temporal[i] else "down2"))
        self.down_blocks = nn.ModuleList(layers)
        self.mid_block, self.norm_out, self.conv_out = MidBlock(b), RMSNorm(b, False), CausalConv3d(b, out, 3)

    def forward(self, x):
        x = self.conv_in(x)
        for layer in self.down_blocks:
            x = layer(x)
        return self.conv_out(self.norm_out(self.mid_block(x), True, 2), padded=True)


class Decoder(nn.Module):
    def __init__(self, dim, z, mult, blocks, temporal):
        super().__init__()
        dims, ups = [dim * m for m in [mult[-1]] + mult[::-1]], []
        self.conv_in, self.mid_block = CausalConv3d(z, dims[0], 3), MidBlock(dims[0])
        for i, (a, b) in enumerate(zip(dims[:-1], dims[1:])):
            mode = None if i == len(mult) - 1 else "up3" if temporal[i] else "up2"
            ups.append(UpBlock(a // 2 if i else a, b, blocks, mode))
        self.up_blocks = nn.ModuleList(ups)
        self.norm_out, self.conv_out = RMSNorm(b, False), CausalConv3d(b, 3, 3)

    def forward(self, x):
        x = self.mid_block(self.conv_in(x))
        for block in self.up_blocks:
            x = block(x)
        return self.conv_out(self.norm_out(x, True, 2), padded=True)


class VAE(nn.Module):
    CONFIG = dict(base_dim=24, z_dim=16, dim_mult=[1, 2, 4, 4], num_res_blocks=1, temperal_downsample=[False, True, True])

    def __init__(self, base_dim=24, z_dim=16, dim_mult=(1, 2, 4, 4), num_res_blocks=1, temperal_downsample=(False, True, True)):
        super().__init__()
        mult, temporal = list(dim_mult), list(temperal_downsample)
        self.encoder = Encoder(base_dim, 2 * z_dim, mult, num_res_blocks, temporal)
        self.quant_conv = CausalConv3d(2 * z_dim, 2 * z_dim, 1)
        self.post_quant_conv = CausalConv3d(z_dim, z_dim, 1)
        self.decoder = Decoder(base_dim, z_dim, mult, num_res_blocks, temporal[::-1])

    def encode(self, x):
        mean, logvar = self.quant_conv(self.encoder(x)).float().chunk(2, 1)
        return mean, logvar.clamp(-30, 20)

    def decode(self, z):
        return self.decoder(self.post_quant_conv(z))
