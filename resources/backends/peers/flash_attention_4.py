"""FlashAttention-4: exact attention in CuTe DSL, for Hopper and Blackwell

Dao-AILab's flash-attn-4, compiled for the card by CUTLASS's Python compiler at the first call of a shape's kind (10 to 30 seconds).
"""

from peer_package import Package, architecture

PACKAGE = Package("flash-attn-4", "4.0.0b36", "flash_attn.cute", '--pre "flash-attn-4[cu13]==4.0.0b36"')

NAME = "fa4"
VERSION = PACKAGE.version
AUTHOR = "Dao-AILab"
DEVICES = ("cuda",)
DTYPES = ("bf16", "fp16")
FEATURES = ("causal", "shared_keys", "log_sum_exp")
MAX_HEAD_DIM = 128
HEAD_DIM_MULTIPLE = 8
CLAIMED_L1 = 0.0


def supports(**context):
    card = architecture()
    return None if card >= 80 else f"compute capability {card / 10}: FlashAttention-4 takes 8.0 and later"


def attend(q, k, v, *, scale, causal, log_sum_exp=False, **context):
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    given = PACKAGE.imported().flash_attn_func(q, k, v, softmax_scale=scale, causal=causal, return_lse=log_sum_exp)
    out, lse = given if isinstance(given, tuple) else (given, None)
    out = out.transpose(1, 2)
    return (out, lse) if log_sum_exp else out
