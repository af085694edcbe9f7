"""Exact attention: plain PyTorch anywhere, a flash-attention kernel in Triton on an NVIDIA GPU

Scores, softmax and sums in fp32, the weights in the inputs' dtype before the product with v. Change it, then hold it to
float64:  reelgrid-cli backends check example.py
"""

import math
import os

import torch

try:
    import triton
    import triton.language as tl
except ImportError:  # no Triton for this machine: the plain kernel runs everywhere
    triton = None
INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"  # Triton's kernels run on a CPU, slowly: to try one without a GPU

# What ReelGrid is told of the kernel. Only attend() has to be there; a kernel gets no call that these rule out.
NAME = "example"  # as --attention-type takes it
VERSION = "0.1"
DEVICES = ("cpu", "cuda")
DTYPES = ("fp32", "bf16", "fp16")
FEATURES = ("causal", "key_bias", "shared_keys", "log_sum_exp")
MAX_HEAD_DIM = 256
HEAD_DIM_MULTIPLE = 1
CLAIMED_L1 = 0.0  # exact; of an approximation the largest sum|out - truth| / sum|truth|
OPTIONS = {"queries_at_once": 512}  # --backend-option example.queries_at_once=256; the type is that of the default
OPTION_TITLES = {"queries_at_once": "Rows of scores that the plain kernel keeps in memory"}


def attend(q, k, v, *, scale, causal, key_bias=None, log_sum_exp=False, options, **context):
    """softmax(scale * q @ k^T + key_bias) @ v.

    q [batch, heads, queries, head dim]; k and v [batch, key heads, keys, head dim], any strides with the head dim
    contiguous; key_bias fp32 [keys] or None. Returns a tensor of q's shape and dtype, or, where log_sum_exp is asked
    for, that and fp32 [batch, heads, queries]. `context` says which call it is: grid, layer, step, steps, module,
    branch, family (see README.md).
    """
    if triton is not None and (q.is_cuda or INTERPRETED) and q.dtype != torch.float32 and key_bias is None:
        return attend_in_triton(q, k, v, scale, causal, log_sum_exp)
    return attend_plainly(q, k, v, scale, causal, key_bias, log_sum_exp, options["queries_at_once"])


# ── PyTorch ──────────────────────────────────────────────────────────────────────────────────────────────────


def attend_plainly(q, k, v, scale, causal, key_bias, log_sum_exp, rows):
    heads_each = q.shape[1] // k.shape[1]
    keys = k.float().repeat_interleave(heads_each, dim=1).transpose(-2, -1)
    values = v.float().repeat_interleave(heads_each, dim=1)
    out = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    lse = torch.empty(q.shape[:3], dtype=torch.float32, device=q.device)
    for first in range(0, q.shape[2], rows):
        some = slice(first, first + rows)
        scores = q[:, :, some].float() @ keys * scale
        if key_bias is not None:
            scores = scores + key_bias
        if causal:  # aligned at the bottom right: query i sees the keys j <= i + keys - queries
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(
                first + k.shape[2] - q.shape[2] + 1)
            scores = scores.masked_fill(hidden, -math.inf)
        largest = scores.amax(dim=-1, keepdim=True)
        largest = largest.masked_fill(largest == -math.inf, 0.0)
        weights = (scores - largest).exp()
        sums = weights.sum(dim=-1, keepdim=True)
        out[:, :, some] = (weights @ values / sums).nan_to_num(0.0).to(q.dtype)  # a query that sees no key gives 0
        lse[:, :, some] = (largest + sums.log()).squeeze(-1)
    return (out, lse) if log_sum_exp else out


# ── Triton ───────────────────────────────────────────────────────────────────────────────────────────────────

if triton is not None:

    @triton.jit
    def forward(Q, K, V, Out, Lse, scale_log2, heads, heads_each, queries, keys,
                q_batch, q_head, q_token, k_batch, k_head, k_token, v_batch, v_head, v_token,
                o_batch, o_head, o_token,
                CAUSAL: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_D: tl.constexpr,
                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
        first_row = tl.program_id(0) * BLOCK_M
        batch = (tl.program_id(1) // heads).to(tl.int64)
        head = (tl.program_id(1) % heads).to(tl.int64)
        rows = first_row + tl.arange(0, BLOCK_M)
        dims = tl.arange(0, BLOCK_D)
        has_row = (rows < queries)[:, None] & (dims < HEAD_DIM)[None, :]
        rows_64 = rows.to(tl.int64)[:, None]
        q = tl.load(Q + batch * q_batch + head * q_head + rows_64 * q_token + dims[None, :], has_row, 0.0)
        K += batch * k_batch + (head // heads_each) * k_head
        V += batch * v_batch + (head // heads_each) * v_head
        shift = keys - queries
        end = keys
        if CAUSAL:
            end = tl.maximum(tl.minimum(keys, first_row + BLOCK_M + shift), 0)
        largest = tl.full([BLOCK_M], float("-inf"), tl.float32)
        total = tl.zeros([BLOCK_M], tl.float32)
        out = tl.zeros([BLOCK_M, BLOCK_D], tl.float32)
        for first in range(0, end, BLOCK_N):
            cols = first + tl.arange(0, BLOCK_N)
            cols_64 = cols.to(tl.int64)
            has_key = cols < keys
            k = tl.load(K + cols_64[None, :] * k_token + dims[:, None],
                        has_key[None, :] & (dims < HEAD_DIM)[:, None], 0.0)
            scores = tl.dot(q, k) * scale_log2
            visible = has_key[None, :]
            if CAUSAL:
                visible = visible & (cols[None, :] <= rows[:, None] + shift)
            scores = tl.where(visible, scores, float("-inf"))
            larger = tl.maximum(largest, tl.max(scores, 1))
            base = tl.where(larger == float("-inf"), 0.0, larger)
            weights = tl.exp2(scores - base[:, None])
            rescale = tl.exp2(largest - base)
            total = total * rescale + tl.sum(weights, 1)
            v = tl.load(V + cols_64[:, None] * v_token + dims[None, :],
                        has_key[:, None] & (dims < HEAD_DIM)[None, :], 0.0)
            out = out * rescale[:, None] + tl.dot(weights.to(v.dtype), v)
            largest = larger
        seen = total > 0
        out = tl.where(seen[:, None], out / tl.where(seen, total, 1.0)[:, None], 0.0)
        tl.store(Out + batch * o_batch + head * o_head + rows_64 * o_token + dims[None, :],
                 out.to(Out.dtype.element_ty), has_row)
        lse = tl.where(seen, (largest + tl.log2(tl.where(seen, total, 1.0))) * 0.6931471805599453, float("-inf"))
        tl.store(Lse + tl.program_id(1).to(tl.int64) * queries + rows, lse, rows < queries)


def attend_in_triton(q, k, v, scale, causal, log_sum_exp):
    batch, heads, queries, head_dim = q.shape
    out = torch.empty((batch, queries, heads, head_dim), dtype=q.dtype, device=q.device).transpose(1, 2)
    lse = torch.empty((batch, heads, queries), dtype=torch.float32, device=q.device)
    if INTERPRETED and q.dtype == torch.bfloat16:  # its tl.dot would multiply bf16's bits as integers
        q, k, v = q.float(), k.float(), v.float()
    block_d = max(16, triton.next_power_of_2(head_dim))
    block_m, block_n = (128, 64) if block_d <= 128 else (64, 32)
    forward[(triton.cdiv(queries, block_m), batch * heads)](
        q, k, v, out, lse, scale * 1.4426950408889634, heads, heads // k.shape[1], queries, k.shape[2],
        *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3],
        CAUSAL=causal, HEAD_DIM=head_dim, BLOCK_D=block_d, BLOCK_M=block_m, BLOCK_N=block_n,
        num_warps=4 if block_d <= 64 else 8, num_stages=2)
    return (out, lse) if log_sum_exp else out
