"""FastVideo's video sparse attention: exact attention over the tiles whose means score best

fastvideo-kernel's video_sparse_attn: tiles of 4×4×4 tokens, of which each sees the share `kept` with the highest scores of mean q and
mean k. Its coarse branch, attention between the means, belongs to models that were trained with a gate for it: `coarse` adds it with
that weight, 0 by default. On Hopper FASTVIDEO_VSA_TK=1 takes its ThunderKittens kernel in place of Triton's.
"""

import functools
import math

from fastvideo_package import PACKAGE, refusal

NAME = "fastvideo_vsa"
VERSION = PACKAGE.version
AUTHOR = "FastVideo"
DEVICES = ("cuda",)
DTYPES = ("bf16",)
FEATURES = ()
MAX_HEAD_DIM = 128
HEAD_DIM_MULTIPLE = 64
CLAIMED_L1 = 1.0  # it leaves out most keys: what that costs is the clip's to say
OPTIONS = {"kept": 0.2, "coarse": 0.0}
OPTION_TITLES = {"kept": "Share of the tiles that a tile sees", "coarse": "Weight of attention between the tiles' means"}
TILE = (4, 4, 4)


def supports(*, options, **call):
    if not 0 < options["kept"] <= 1:
        return f"kept {options['kept']:g}: more than 0 and at most 1 was needed"
    return refusal("FastVideo's VSA", **call)


@functools.lru_cache(maxsize=8)
def layout(shape, device):
    """Of a grid: its tokens in the order of tiles, the rows that they take with every tile filled up, and the tiles' sizes."""
    about = PACKAGE.imported().build_vsa_metadata(shape, TILE, device)
    return about["tile_partition_indices"], about["non_pad_index"], about["variable_block_sizes"]


def attend(q, k, v, *, grid, options, **context):
    import torch
    tokens, rows, sizes = layout((grid.frames, grid.height, grid.width), q.device)
    batch, heads, queries, head_dim = q.shape
    tiles = sizes.numel()

    def tiled(x):
        out = x.new_zeros(batch, heads, tiles * math.prod(TILE), head_dim)
        out[:, :, rows] = x.index_select(2, tokens)
        return out

    kept = max(1, math.ceil(options["kept"] * tiles))
    weight = torch.full((), options["coarse"], dtype=q.dtype, device=q.device)
    tiled_out = PACKAGE.imported().video_sparse_attn(tiled(q), tiled(k), tiled(v), sizes, sizes, kept, TILE, weight)
    out = torch.empty_like(q)
    out[:, :, tokens] = tiled_out.index_select(2, rows).to(q.dtype)
    return out
