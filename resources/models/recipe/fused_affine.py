"""cog_vae_model.plain_affine in four Triton kernels over channels-last activations: means, silu(x·p + q), and its gradients.

x is read once for the means, once for the result, twice on the way back; p and q are small and left to PyTorch.
"""
import torch
import triton
import triton.language as tl

from cog_vae_model import group_maps


@triton.jit
def _means(X, M1, M2, HW, BLOCKS, C: tl.constexpr, CP: tl.constexpr, BP: tl.constexpr):
    frame = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, CP)
    one, two = tl.zeros([CP], tl.float32), tl.zeros([CP], tl.float32)
    for k in range(tl.program_id(1), BLOCKS, tl.num_programs(1)):
        p = k * BP + tl.arange(0, BP)
        x = tl.load(X + (frame * HW + p[:, None]) * C + c[None, :], mask=(p[:, None] < HW) & (c[None, :] < C), other=0.0)
        x = x.to(tl.float32)
        one += tl.sum(x, 0)
        two += tl.sum(x * x, 0)
    tl.atomic_add(M1 + frame * C + c, one / HW, mask=c < C)
    tl.atomic_add(M2 + frame * C + c, two / HW, mask=c < C)


@triton.jit
def _apply(X, P, Q, Y, POINTS, T, H, W, SH, SW, LEAD: tl.constexpr, C: tl.constexpr, CP: tl.constexpr, BP: tl.constexpr,
           ACT: tl.constexpr):
    p = tl.program_id(0).to(tl.int64) * BP + tl.arange(0, BP)
    c = tl.arange(0, CP)
    m = (p[:, None] < POINTS) & (c[None, :] < C)
    frame, pixel = p // (H * W), p % (H * W)
    cell = (frame * (H // SH) + (pixel // W) // SH) * (W // SW) + (pixel % W) // SW
    x = tl.load(X + p[:, None] * C + c[None, :], mask=m, other=0.0).to(tl.float32)
    y = x * tl.load(P + cell[:, None] * C + c[None, :], mask=m, other=0.0) + \
        tl.load(Q + cell[:, None] * C + c[None, :], mask=m, other=0.0)
    if ACT:
        y = y * tl.sigmoid(y)
    y = y.to(Y.dtype.element_ty)
    clip, time = frame // T, frame % T
    out = (clip * (T + LEAD) + time) * (H * W) + pixel
    tl.store(Y + (out[:, None] + LEAD * H * W) * C + c[None, :], y, mask=m)
    for k in tl.static_range(LEAD):
        tl.store(Y + (out[:, None] + k * H * W) * C + c[None, :], y, mask=m & (time[:, None] == 0))


@triton.jit
def _map_gradients(X, D, P, Q, DP, DQ, T, H, W, SH, SW, LEAD: tl.constexpr, C: tl.constexpr, CP: tl.constexpr,
                   BP: tl.constexpr, ACT: tl.constexpr):
    cell = tl.program_id(0).to(tl.int64)
    frame, place = cell // ((H // SH) * (W // SW)), cell % ((H // SH) * (W // SW))
    row, col = place // (W // SW) * SH, place % (W // SW) * SW
    clip, time = frame // T, frame % T
    c = tl.arange(0, CP)
    scale = tl.load(P + cell * C + c, mask=c < C, other=0.0)[None, :]
    shift = tl.load(Q + cell * C + c, mask=c < C, other=0.0)[None, :]
    dp, dq = tl.zeros([CP], tl.float32), tl.zeros([CP], tl.float32)
    for k in range(0, SH * SW, BP):
        n = k + tl.arange(0, BP)
        pixel = (row + n // SW) * W + col + n % SW
        m = (n[:, None] < SH * SW) & (c[None, :] < C)
        x = tl.load(X + (frame * H * W + pixel[:, None]) * C + c[None, :], mask=m, other=0.0).to(tl.float32)
        out = ((clip * (T + LEAD) + time) * (H * W) + pixel[:, None]) * C + c[None, :]
        d = tl.load(D + out + LEAD * H * W * C, mask=m, other=0.0).to(tl.float32)
        for j in tl.static_range(LEAD):
            d += tl.load(D + out + j * H * W * C, mask=m & (time == 0), other=0.0).to(tl.float32)
        if ACT:
            u = x * scale + shift
            s = tl.sigmoid(u)
            d = d * (s * (1 + u * (1 - s)))
        dp += tl.sum(d * x, 0)
        dq += tl.sum(d, 0)
    tl.store(DP + cell * C + c, dp, mask=c < C)
    tl.store(DQ + cell * C + c, dq, mask=c < C)


@triton.jit
def _gradient(X, D, P, Q, G1, G2, DX, POINTS, T, H, W, SH, SW, LEAD: tl.constexpr, C: tl.constexpr, CP: tl.constexpr,
              BP: tl.constexpr, ACT: tl.constexpr):
    p = tl.program_id(0).to(tl.int64) * BP + tl.arange(0, BP)
    c = tl.arange(0, CP)
    m = (p[:, None] < POINTS) & (c[None, :] < C)
    frame, pixel = p // (H * W), p % (H * W)
    cell = (frame * (H // SH) + (pixel // W) // SH) * (W // SW) + (pixel % W) // SW
    clip, time = frame // T, frame % T
    x = tl.load(X + p[:, None] * C + c[None, :], mask=m, other=0.0).to(tl.float32)
    out = ((clip * (T + LEAD) + time) * (H * W) + pixel)[:, None] * C + c[None, :]
    d = tl.load(D + out + LEAD * H * W * C, mask=m, other=0.0).to(tl.float32)
    for j in tl.static_range(LEAD):
        d += tl.load(D + out + j * H * W * C, mask=m & (time[:, None] == 0), other=0.0).to(tl.float32)
    scale = tl.load(P + cell[:, None] * C + c[None, :], mask=m, other=0.0)
    if ACT:
        u = x * scale + tl.load(Q + cell[:, None] * C + c[None, :], mask=m, other=0.0)
        s = tl.sigmoid(u)
        d = d * (s * (1 + u * (1 - s)))
    g1 = tl.load(G1 + frame[:, None] * C + c[None, :], mask=m, other=0.0)
    g2 = tl.load(G2 + frame[:, None] * C + c[None, :], mask=m, other=0.0)
    dx = d * scale + (g1 + 2 * x * g2) / (H * W)
    tl.store(DX + p[:, None] * C + c[None, :], dx.to(DX.dtype.element_ty), mask=m)


def _last(x):
    return x.permute(0, 2, 3, 4, 1).contiguous()


def _first(x):
    return x.permute(0, 4, 1, 2, 3)


def _divisor(n):
    return next(k for k in (8, 4, 2, 1) if n % k == 0)


class _Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, averages, weight, bias, y, z, act, lead):
        xl = _last(x)
        b, t, h, w, c = xl.shape
        cp = triton.next_power_of_2(c)
        bp = max(2048 // cp, 1)
        means = torch.zeros(2, b, t, c, device=x.device)
        blocks = triton.cdiv(h * w, bp)
        _means[(b * t, min(blocks, 16))](xl, means[0], means[1], h * w, blocks, c, cp, bp)
        with torch.enable_grad():
            leaves = [None if v is None else v.detach().requires_grad_() for v in (weight, bias, y, z)]
            one, two = (m.transpose(1, 2).requires_grad_() for m in means)
            p, q = group_maps(one, two, averages, *leaves)
            if y is None:  # cells small enough that many programs share the sums of the way back
                p, q = (v.expand(b, c, t, h // _divisor(h), w // _divisor(w)) for v in (p, q))
        pl, ql = _last(p.detach()), _last(q.detach())
        sh, sw = h // pl.shape[2], w // pl.shape[3]
        out = torch.empty(b, t + lead, h, w, c, dtype=x.dtype, device=x.device)
        points = b * t * h * w
        _apply[(triton.cdiv(points, bp),)](xl, pl, ql, out, points, t, h, w, sh, sw, lead, c, cp, bp, act)
        ctx.save_for_backward(xl, pl, ql)
        ctx.small = (one, two, leaves, p, q)
        ctx.sizes = (t, h, w, sh, sw, lead, c, cp, bp, act)
        return _first(out)

    @staticmethod
    def backward(ctx, d):
        xl, pl, ql = ctx.saved_tensors
        t, h, w, sh, sw, lead, c, cp, bp, act = ctx.sizes
        one, two, leaves, p, q = ctx.small
        d = _last(d)
        dp, dq = torch.empty_like(pl), torch.empty_like(ql)
        cells = dp.numel() // c
        _map_gradients[(cells,)](xl, d, pl, ql, dp, dq, t, h, w, sh, sw, lead, c, cp,
                                 min(bp, triton.next_power_of_2(sh * sw)), act)
        wanted = [one, two] + [v for v in leaves if v is not None]
        g1, g2, *rest = torch.autograd.grad((p, q), wanted, (_first(dp), _first(dq)))
        g1, g2 = (g.transpose(1, 2).contiguous() for g in (g1, g2))
        dx = torch.empty_like(xl)
        points = xl.numel() // c
        _gradient[(triton.cdiv(points, bp),)](xl, d, pl, ql, g1, g2, dx, points, t, h, w, sh, sw, lead, c, cp, bp, act)
        rest = [None if v is None else rest.pop(0) for v in leaves]
        return _first(dx), None, *rest, None, None


def affine(x, averages, weight, bias, y, z, act, lead):
    return _Affine.apply(x, averages, weight, bias, y, z, act, lead)
