"""Channel RMS norm (+ SiLU) of channels-last activations in one Triton kernel each way, with the causal convolution's
leading zero frames written by the same pass. Three quarters of the VAE's memory traffic would otherwise be copies."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def _forward(X, G, Y, P, FRAME, LEAD, C: tl.constexpr, CP: tl.constexpr, BP: tl.constexpr, ACT: tl.constexpr, S: tl.constexpr):
    p = tl.program_id(0).to(tl.int64) * BP + tl.arange(0, BP)
    c = tl.arange(0, CP)
    m = (p[:, None] < P) & (c[None, :] < C)
    x = tl.load(X + p[:, None] * C + c[None, :], mask=m, other=0.0).to(tl.float32)
    g = tl.load(G + c, mask=c < C, other=0.0) * S
    y = x * (1.0 / tl.sqrt(tl.maximum(tl.sum(x * x, 1), 1e-24)))[:, None] * g[None, :]
    if ACT:
        y = y * tl.sigmoid(y)
    out = p + (p // FRAME + 1) * LEAD
    tl.store(Y + out[:, None] * C + c[None, :], y.to(Y.dtype.element_ty), mask=m)


@triton.jit
def _backward(X, G, D, DX, DG, P, FRAME, LEAD, BLOCKS, C: tl.constexpr, CP: tl.constexpr, BP: tl.constexpr, ACT: tl.constexpr, S: tl.constexpr):
    c = tl.arange(0, CP)
    g = tl.load(G + c, mask=c < C, other=0.0) * S
    acc = tl.zeros([CP], tl.float32)
    for k in range(tl.program_id(0), BLOCKS, tl.num_programs(0)):
        p = k.to(tl.int64) * BP + tl.arange(0, BP)
        m = (p[:, None] < P) & (c[None, :] < C)
        x = tl.load(X + p[:, None] * C + c[None, :], mask=m, other=0.0).to(tl.float32)
        out = p + (p // FRAME + 1) * LEAD
        d = tl.load(D + out[:, None] * C + c[None, :], mask=m, other=0.0).to(tl.float32)
        r = 1.0 / tl.sqrt(tl.maximum(tl.sum(x * x, 1), 1e-24))
        n = x * r[:, None]
        if ACT:
            y = n * g[None, :]
            s = tl.sigmoid(y)
            d = d * (s * (1 + y * (1 - s)))
        acc += tl.sum(d * n, 0)
        q = d * g[None, :]
        dx = (q - n * tl.sum(q * n, 1)[:, None]) * r[:, None]
        tl.store(DX + p[:, None] * C + c[None, :], dx.to(DX.dtype.element_ty), mask=m)
    tl.atomic_add(DG + c, acc * S, mask=c < C)


def _last(x):
    return x.permute(0, *range(2, x.dim()), 1).contiguous()


def _first(x):
    return x.permute(0, x.dim() - 1, *range(1, x.dim() - 1))


class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gamma, act, lead):
        xl, g = _last(x), gamma.detach().float().reshape(-1).contiguous()
        channels = xl.shape[-1]
        points = xl.numel() // channels
        shape = list(xl.shape)
        shape[1] += lead
        y = torch.empty(shape, dtype=x.dtype, device=x.device)
        if lead:
            y[:, :lead] = 0
        clip, lead_points = math.prod(xl.shape[1:-1]), lead * math.prod(xl.shape[2:-1])
        cp = triton.next_power_of_2(channels)
        bp = 2048 // cp
        _forward[(triton.cdiv(points, bp),)](xl, g, y, points, clip, lead_points, channels, cp, bp, act, math.sqrt(channels))
        ctx.save_for_backward(xl, g)
        ctx.arguments = (act, gamma.shape, points, clip, lead_points, cp, bp)
        return _first(y)

    @staticmethod
    def backward(ctx, d):
        xl, g = ctx.saved_tensors
        act, gamma_shape, points, clip, lead_points, cp, bp = ctx.arguments
        channels = xl.shape[-1]
        dx, dg = torch.empty_like(xl), torch.zeros_like(g)
        blocks = triton.cdiv(points, bp)
        _backward[(min(blocks, 1056),)](xl, g, _last(d), dx, dg, points, clip, lead_points, blocks, channels, cp, bp, act,
                                        math.sqrt(channels))
        return _first(dx), dg.view(gamma_shape), None, None


def norm(x, gamma, act, lead):
    return _Norm.apply(x, gamma, act, lead)
