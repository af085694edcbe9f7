"""GroupNorm and SiLU of channels-last activations in two Triton kernels each way; by PyTorch's own operations on a CPU.

Statistics are taken over `instances` equal parts of the frames: over each frame, or over all the frames of a clip.
"""
import torch
import torch.nn.functional as F

try:
    import triton
    import triton.language as tl
except ImportError:  # on a machine without a GPU
    triton = None


def plain(x, norm, instances):
    frames, c, h, w = x.shape
    y = x.unflatten(0, (instances, -1)).transpose(1, 2)
    y = F.silu(F.group_norm(y.float(), norm.num_groups, norm.weight, norm.bias, norm.eps))
    return y.to(x.dtype).transpose(1, 2).reshape(frames, c, h, w)


if triton:
    @triton.jit
    def _sums(X, S1, S2, P, BLOCKS, C: tl.constexpr, CP: tl.constexpr, BP: tl.constexpr):
        n = tl.program_id(0).to(tl.int64)
        c = tl.arange(0, CP)
        one = tl.zeros([CP], tl.float32)
        two = tl.zeros([CP], tl.float32)
        for k in range(tl.program_id(1), BLOCKS, tl.num_programs(1)):
            p = k * BP + tl.arange(0, BP)
            m = (p[:, None] < P) & (c[None, :] < C)
            x = tl.load(X + (n * P + p[:, None]) * C + c[None, :], mask=m, other=0.0).to(tl.float32)
            one += tl.sum(x, 0)
            two += tl.sum(x * x, 0)
        tl.atomic_add(S1 + n * C + c, one, mask=c < C)
        tl.atomic_add(S2 + n * C + c, two, mask=c < C)

    @triton.jit
    def _apply(X, A, B, Y, P, C: tl.constexpr, CP: tl.constexpr, BP: tl.constexpr):
        n = tl.program_id(0).to(tl.int64)
        c = tl.arange(0, CP)
        p = tl.program_id(1) * BP + tl.arange(0, BP)
        at = (n * P + p[:, None]) * C + c[None, :]
        m = (p[:, None] < P) & (c[None, :] < C)
        a = tl.load(A + n * C + c, mask=c < C, other=0.0)[None, :]
        b = tl.load(B + n * C + c, mask=c < C, other=0.0)[None, :]
        u = tl.load(X + at, mask=m, other=0.0).to(tl.float32) * a + b
        tl.store(Y + at, (u * tl.sigmoid(u)).to(Y.dtype.element_ty), mask=m)

    @triton.jit
    def _sums_back(X, D, A, B, S1, S2, P, BLOCKS, C: tl.constexpr, CP: tl.constexpr, BP: tl.constexpr):
        n = tl.program_id(0).to(tl.int64)
        c = tl.arange(0, CP)
        a = tl.load(A + n * C + c, mask=c < C, other=0.0)[None, :]
        b = tl.load(B + n * C + c, mask=c < C, other=0.0)[None, :]
        one = tl.zeros([CP], tl.float32)
        two = tl.zeros([CP], tl.float32)
        for k in range(tl.program_id(1), BLOCKS, tl.num_programs(1)):
            p = k * BP + tl.arange(0, BP)
            at = (n * P + p[:, None]) * C + c[None, :]
            m = (p[:, None] < P) & (c[None, :] < C)
            x = tl.load(X + at, mask=m, other=0.0).to(tl.float32)
            u = x * a + b
            s = tl.sigmoid(u)
            d = tl.load(D + at, mask=m, other=0.0).to(tl.float32) * (s * (1 + u * (1 - s)))
            one += tl.sum(d, 0)
            two += tl.sum(d * x, 0)
        tl.atomic_add(S1 + n * C + c, one, mask=c < C)
        tl.atomic_add(S2 + n * C + c, two, mask=c < C)

    @triton.jit
    def _apply_back(X, D, A, B, K1, K2, DX, P, C: tl.constexpr, CP: tl.constexpr, BP: tl.constexpr):
        n = tl.program_id(0).to(tl.int64)
        c = tl.arange(0, CP)
        p = tl.program_id(1) * BP + tl.arange(0, BP)
        at = (n * P + p[:, None]) * C + c[None, :]
        m = (p[:, None] < P) & (c[None, :] < C)
        a = tl.load(A + n * C + c, mask=c < C, other=0.0)[None, :]
        b = tl.load(B + n * C + c, mask=c < C, other=0.0)[None, :]
        k1 = tl.load(K1 + n * C + c, mask=c < C, other=0.0)[None, :]
        k2 = tl.load(K2 + n * C + c, mask=c < C, other=0.0)[None, :]
        x = tl.load(X + at, mask=m, other=0.0).to(tl.float32)
        u = x * a + b
        s = tl.sigmoid(u)
        d = tl.load(D + at, mask=m, other=0.0).to(tl.float32) * (s * (1 + u * (1 - s)))
        tl.store(DX + at, (a * d + x * k2 + k1).to(DX.dtype.element_ty), mask=m)


def _last(x):
    return x.permute(0, 2, 3, 1).contiguous()


class _NormSilu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, groups, eps, n):
        xl = _last(x)
        c, points = xl.shape[-1], xl.numel() // (xl.shape[-1] * n)
        cp = triton.next_power_of_2(c)
        bp = max(4096 // cp, 1)
        blocks = triton.cdiv(points, bp)
        split = min(blocks, max(16, 1056 // n))
        sums = torch.zeros(2, n, c, device=x.device)
        _sums[(n, split)](xl, sums[0], sums[1], points, blocks, c, cp, bp)
        count = points * (c // groups)
        mean, square = sums.view(2, n, groups, -1).sum(-1) / count
        rate = (square - mean * mean).clamp_min(0).add(eps).rsqrt()
        each = c // groups
        mean, rate = mean.repeat_interleave(each, 1), rate.repeat_interleave(each, 1)
        a = (rate * weight.float()).contiguous()
        b = (bias.float() - mean * a).contiguous()
        y = torch.empty_like(xl)
        _apply[(n, blocks)](xl, a, b, y, points, c, cp, bp)
        ctx.save_for_backward(xl, weight, mean, rate, a, b)
        ctx.sizes = (n, groups, count, points, c, cp, bp, blocks, split)
        return y.permute(0, 3, 1, 2)

    @staticmethod
    def backward(ctx, d):
        xl, weight, mean, rate, a, b = ctx.saved_tensors
        n, groups, count, points, c, cp, bp, blocks, split = ctx.sizes
        d = _last(d)
        sums = torch.zeros(2, n, c, device=d.device)
        _sums_back[(n, split)](xl, d, a, b, sums[0], sums[1], points, blocks, c, cp, bp)
        one, two = sums
        normal = rate * (two - mean * one)  # the sum of gradient times what was normalised
        of_group = lambda v: (v * weight.float()).view(n, groups, -1).sum(-1).repeat_interleave(c // groups, 1) / count
        k2 = -rate * rate * of_group(normal)
        k1 = -mean * k2 - rate * of_group(one)
        dx = torch.empty_like(xl)
        _apply_back[(n, blocks)](xl, d, a, b, k1.contiguous(), k2.contiguous(), dx, points, c, cp, bp)
        return dx.permute(0, 3, 1, 2), normal.sum(0).to(weight.dtype), one.sum(0).to(weight.dtype), None, None, None


def fused(x, norm, instances):
    return _NormSilu.apply(x, norm.weight, norm.bias, norm.num_groups, norm.eps, instances)


def differences(device):
    """The largest relative difference between the two ways, of results and gradients."""
    torch.manual_seed(3)
    worst = 0.0
    for c, groups, frames, n in ((64, 32, 6, 6), (96, 32, 6, 2)):
        norm = torch.nn.GroupNorm(groups, c, 1e-6).to(device)
        torch.nn.init.normal_(norm.weight)
        torch.nn.init.normal_(norm.bias)
        x, d = (torch.randn(frames, c, 6, 10, device=device) + 0.3 for _ in range(2))
        out = []
        for way in (plain, fused):
            leaf = x.clone().requires_grad_()
            y = way(leaf, norm, n)
            out.append([y, *torch.autograd.grad(y, (leaf, norm.weight, norm.bias), d)])
        worst = max(worst, *(float((p - q).abs().max() / p.abs().max()) for p, q in zip(*out)))
    return worst
