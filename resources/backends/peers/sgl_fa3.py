"""sgl-kernel's FlashAttention-3: exact attention, for Hopper and Ampere

SGLang's build of FlashAttention-3 (sglang-kernel, earlier named sgl-kernel). Each release is made for one release of PyTorch: 0.4.4
for 2.11. Its library is 1.7 GB.
"""

from peer_package import Package, architecture

PACKAGE = Package("sglang-kernel", "0.4.4", "sgl_kernel.flash_attn")

NAME = "sgl_fa3"
VERSION = PACKAGE.version
AUTHOR = "SGLang"
DEVICES = ("cuda",)
DTYPES = ("bf16", "fp16")
FEATURES = ("causal", "shared_keys")
MAX_HEAD_DIM = 256
HEAD_DIM_MULTIPLE = 8
CLAIMED_L1 = 0.0


def supports(**context):
    card = architecture()
    return None if card // 10 in (8, 9) else f"compute capability {card / 10}: sgl-kernel's FlashAttention-3 takes 8.x and 9.0"


def attend(q, k, v, *, scale, causal, **context):
    import torch
    batch, heads, queries, head_dim = q.shape
    keys = k.shape[2]
    rows = [x.transpose(1, 2).reshape(batch * x.shape[2], x.shape[1], head_dim) for x in (q, k, v)]
    ends = [torch.arange(0, (batch + 1) * n, n, dtype=torch.int32, device=q.device) for n in (queries, keys)]
    out = PACKAGE.imported().flash_attn_varlen_func(*rows, *ends, queries, keys, softmax_scale=scale, causal=causal)
    out = out[0] if isinstance(out, tuple) else out
    return out.view(batch, queries, heads, head_dim).transpose(1, 2)
