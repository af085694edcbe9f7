"""xFormers' memory_efficient_attention: exact attention by the kernel that it prefers on this card

FlashAttention-3 or 2 where those packages are installed, else PyTorch's own FlashAttention 2 and CUTLASS kernels, which xFormers 0.0.35
calls in place of its own.
"""

from peer_package import Package, has_module

# It takes FlashAttention-4, whose package has the same name, for FlashAttention 2.
HIDDEN = () if has_module("flash_attn.flash_attn_interface") else ("flash_attn",)
PACKAGE = Package("xformers", "0.0.35", "xformers.ops", "--no-deps xformers==0.0.35", HIDDEN)

NAME = "xformers"
VERSION = PACKAGE.version
AUTHOR = "Meta"
DEVICES = ("cuda",)
DTYPES = ("bf16", "fp16")
FEATURES = ("causal",)
MAX_HEAD_DIM = 256
HEAD_DIM_MULTIPLE = 8
CLAIMED_L1 = 0.0


def attend(q, k, v, *, scale, causal, **context):
    ops = PACKAGE.imported()
    mask = ops.fmha.attn_bias.LowerTriangularFromBottomRightMask() if causal else None
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    return ops.memory_efficient_attention(q, k, v, attn_bias=mask, scale=scale).transpose(1, 2)
