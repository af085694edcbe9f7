"""Sparse-linear attention as TurboDiffusion defines it: few key blocks by softmax, all keys by a linear branch behind proj_l.

A block of 128 queries attends to the top-k blocks of 64 keys, by the unscaled product of the queries' mean with the keys' mean
less the mean of all keys; what is left over in the last blocks is averaged over what is there. The linear branch is
φ(q) (φ(k)ᵀ v) / (1e-5 + φ(q) Σφ(k)) over all keys, φ the softmax over a head's channels, times proj_l [D, D] with its bias.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

QUERIES, KEYS, TOP_K = 128, 64, 0.2


def block_means(x, size):
    """[B, H, N, D] -> means of blocks [B, H, ceil(N / size), D]"""
    n = x.shape[2]
    blocks = -(-n // size)
    padded = F.pad(x.float(), (0, 0, 0, blocks * size - n)).unflatten(2, (blocks, size)).sum(3)
    counts = torch.full((blocks, 1), float(size), device=x.device)
    counts[-1] = n - (blocks - 1) * size
    return padded / counts


@torch.no_grad()
def allowed(q, k, top_k=TOP_K):
    """[B, H, N, N]: which keys each query attends to."""
    n, m = q.shape[2], k.shape[2]
    scores = block_means(q, QUERIES) @ (block_means(k, KEYS) - k.float().mean(2, keepdim=True)).mT
    count = max(1, int(top_k * scores.shape[-1]))
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, scores.topk(count, -1).indices, True)
    return chosen.repeat_interleave(QUERIES, 2)[:, :, :n].repeat_interleave(KEYS, 3)[..., :m]


def linear_branch(q, k, v):
    q, k, v = q.float().softmax(-1), k.float().softmax(-1), v.float()
    return (q @ (k.mT @ v)) / (1e-5 + (q * k.sum(2, keepdim=True)).sum(-1, keepdim=True))


def missed(q, k, allowed, queries=96):
    """-log of the share of dense attention's weights that fall on the chosen blocks, mean of some random queries."""
    rows = torch.randint(0, q.shape[2], (queries,), device=q.device)
    scores = (q[:, :, rows] @ k.mT).float() * q.shape[-1] ** -0.5
    return (scores.logsumexp(-1) - scores.masked_fill(~allowed[:, :, rows], float("-inf")).logsumexp(-1)).mean()


def sparse_linear_attention(q, k, v, proj_l, top_k=TOP_K):
    """q, k, v [B, H, N, D] after norms and rotation; proj_l: nn.Linear(D, D). Returns the output and, in training, what is missed."""
    chosen = allowed(q, k, top_k)
    y = F.scaled_dot_product_attention(q, k, v, attn_mask=chosen)
    return y + proj_l(linear_branch(q, k, v)).type_as(y), missed(q, k, chosen) if torch.is_grad_enabled() else None


def give_linear_branches(transformer):
    """proj_l of every self-attention, without effect at first."""
    for block in transformer.blocks:
        attention = block.attn1
        width = attention.to_q.out_features // attention.heads
        attention.proj_l = nn.Linear(width, width).to(attention.to_q.weight.device)
        nn.init.zeros_(attention.proj_l.weight)
        nn.init.zeros_(attention.proj_l.bias)
    return transformer


def missed_by(transformer):
    return torch.stack([block.attn1.missed for block in transformer.blocks]).mean()


def attend_sparsely(transformer, sparse):
    for block in transformer.blocks:
        block.attn1.sparse = sparse
