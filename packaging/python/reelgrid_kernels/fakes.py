"""The shapes, strides and dtypes that the operators give, for torch.compile, export and FakeTensor."""

import torch
from torch.library import register_fake

DENSE = ("fav2", "fav3", "fav3_fp8", "sagev1", "sagev2", "fav3_sage")
SPARSE = ("sla", "sagesla", "sparge", "sta", "radial")


def _out(q):
    torch._check(q.dim() == 4, lambda: f"q has {q.dim()} dimensions, needs [batch, heads, tokens, head dim]")
    batch, heads, tokens, dims = q.shape
    return q.new_empty(batch, tokens, heads, dims).transpose(1, 2)


def _attention(q, k, v, **options):
    return _out(q)


def _attention_with_lse(q, k, v, **options):
    return _out(q), q.new_empty(q.shape[:3], dtype=torch.float32)


for name in DENSE + SPARSE:
    register_fake(f"reelgrid::{name}", _attention)
for name in DENSE:
    register_fake(f"reelgrid::{name}_with_lse", _attention_with_lse)


@register_fake("reelgrid::merge_attention")
def _(outs, lses):
    return _out(outs[0]), lses[0].new_empty(lses[0].shape)


def _pixels(x, outputs, frames, rows, columns):
    return torch.empty(x.shape[0], outputs, frames, rows, columns, dtype=x.dtype, device=x.device,
                       memory_format=torch.channels_last_3d)


@register_fake("reelgrid::temporal_conv")
def _(x, weight, bias=None, *, residual=None, scale=None, shift=None):
    return _pixels(x, weight.shape[0], *x.shape[2:])


@register_fake("reelgrid::causal_conv3d")
def _(x, weight, bias=None, *, residual=None, norm_scale=None, doubled=False):
    factor = 2 if doubled else 1
    return _pixels(x, weight.shape[0], x.shape[2], x.shape[3] * factor, x.shape[4] * factor)


@register_fake("reelgrid::add_then_norm_")
def _(x, y=None, gate=None, *, weight=None, bias=None, eps=1e-6, dtype=None):
    return x.new_empty(x.shape, dtype=y.dtype if y is not None else dtype or torch.float32)


@register_fake("reelgrid::rms_norm_rotate_")
def _(x, weight, cos=None, sin=None, *, eps=1e-6):
    return None


@register_fake("reelgrid::head_norm_rotate_")
def _(x, weight, bias, rotary=None, *, eps=1e-6):
    return None


@register_fake("reelgrid::gelu_tanh_")
def _(x):
    return None


def _blocks(extent):
    return (extent + 127) // 128


@register_fake("reelgrid::int8_quantise")
def _(x):
    rows, columns = x.shape
    return x.new_empty(rows, columns, dtype=torch.int8), x.new_empty(_blocks(rows), _blocks(columns))


@register_fake("reelgrid::int8_pack")
def _(integers):
    outputs, inputs = integers.shape
    # Panels of 32 outputs, blocks of 128 inputs.
    return integers.new_empty((outputs + 31) // 32 * 32 * _blocks(inputs) * 128, dtype=torch.uint8)


@register_fake("reelgrid::int8_linear")
def _(x, packed, scales, outputs, bias=None):
    return x.new_empty(*x.shape[:-1], outputs)


@register_fake("reelgrid::affine_silu")
def _(x, scale, shift):
    return torch.empty_like(x)


@register_fake("reelgrid::channel_norm")
def _(x, scale, *, silu=True):
    return torch.empty_like(x)


@register_fake("reelgrid::rows_to_fp8")
def _(x, *, gelu=False):
    return x.new_empty(x.shape, dtype=torch.float8_e4m3fn), x.new_empty(x.shape[:-1], dtype=torch.float32)
