"""SageAttention 1.0.6: INT8 Q·K per block with smoothed K, P·V in FP16, in Triton

thu-ml's SageAttention as PyPI has it (2.x is built from source): q and k less its mean in INT8 with one scale for 128 and 64 rows, the
weights and v in FP16 with FP16 sums. K's mean is taken off here, since the package would write to the k that it is given. Without a
causal mask 1.0.6 counts the last block's missing keys as keys with a score of 0: calls where they are more than 1 % are refused.
"""

from peer_package import Package

PACKAGE = Package("sageattention", "1.0.6", "sageattention")

NAME = "sageattention"
VERSION = PACKAGE.version
AUTHOR = "thu-ml"
DEVICES = ("cuda",)
DTYPES = ("bf16", "fp16")
FEATURES = ("causal", "shared_keys")
MAX_HEAD_DIM = 128
HEAD_DIM_MULTIPLE = 32
CLAIMED_L1 = 0.1
HEAD_DIMS, BLOCK = (64, 96, 128), 64


def supports(*, head_dim, causal, queries, keys, **context):
    if head_dim not in HEAD_DIMS:
        return f"head dim {head_dim}: SageAttention takes 64, 96 and 128"
    if causal and queries != keys:
        return f"causal with {queries} queries and {keys} keys: SageAttention takes as many of both"
    missing = -keys % BLOCK
    if not causal and missing * 100 > keys:
        return f"{keys} keys: SageAttention 1.0.6 counts the {missing} that the last block of {BLOCK} lacks as keys, more than 1 % of them"
    return None


def attend(q, k, v, *, scale, causal, **context):
    sage = PACKAGE.imported()
    return sage.sageattn(q, k - k.mean(dim=2, keepdim=True), v, tensor_layout="HND", is_causal=causal, sm_scale=scale,
                         smooth_k=False)
