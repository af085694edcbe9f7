"""FlashInfer: exact attention by its FA3 kernel on Hopper, else its FA2 kernel

single_prefill_with_kv_cache, one clip of the batch after the other. The kernel of each dtype and head dim is compiled when it is first
used, which takes nvcc, ninja and minutes; flashinfer-jit-cache brings them compiled.
"""

from peer_package import Package

PACKAGE = Package("flashinfer-python", "0.7.2.post1", "flashinfer", '"flashinfer-python[cu13]==0.7.2.post1"')

NAME = "flashinfer"
VERSION = PACKAGE.version
AUTHOR = "FlashInfer"
DEVICES = ("cuda",)
DTYPES = ("bf16", "fp16")
FEATURES = ("causal", "shared_keys")
MAX_HEAD_DIM = 256
HEAD_DIM_MULTIPLE = 64
CLAIMED_L1 = 0.0
HEAD_DIMS = (64, 128, 256)


def supports(*, head_dim, **context):
    return None if head_dim in HEAD_DIMS else f"head dim {head_dim}: FlashInfer takes 64, 128 and 256"


def attend(q, k, v, *, scale, causal, **context):
    import torch
    prefill = PACKAGE.imported().single_prefill_with_kv_cache
    outs = [prefill(q[b].transpose(0, 1).contiguous(), k[b].transpose(0, 1).contiguous(), v[b].transpose(0, 1).contiguous(),
                    causal=causal, kv_layout="NHD", sm_scale=scale) for b in range(q.shape[0])]
    return torch.stack(outs).transpose(1, 2)
