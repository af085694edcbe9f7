"""FastVideo's sliding tile attention: exact attention within windows of tiles, in Triton

fastvideo-kernel's sliding_tile_attention: tiles of 6×8×8 frames, rows and columns, of which each sees `window` tiles about it. Of the
three grids that it is made for this takes the two without text: 18×48×80 (Wan 2.1 at 1280×768, 69 frames) and 36×48×48. Later releases
than 0.3.4 are made for PyTorch 2.12.
"""

import functools

from fastvideo_package import PACKAGE, refusal

NAME = "fastvideo_sta"
VERSION = PACKAGE.version
AUTHOR = "FastVideo"
DEVICES = ("cuda",)
DTYPES = ("bf16",)
FEATURES = ()
MAX_HEAD_DIM = 128
HEAD_DIM_MULTIPLE = 64
CLAIMED_L1 = 1.0  # it leaves out most keys: what that costs is the clip's to say
OPTIONS = {"window": (3, 3, 3)}
OPTION_TITLES = {"window": "Tiles that a tile sees in frames, rows and columns"}
TILE = (6, 8, 8)
GRIDS = ((18, 48, 80), (36, 48, 48))


def supports(*, grid, **call):
    shape = grid and (grid.frames, grid.height, grid.width)
    if shape and shape not in GRIDS:
        return f"grid {'x'.join(map(str, shape))}: FastVideo's STA takes 18x48x80 and 36x48x48"
    return refusal("FastVideo's STA", grid=grid, **call)


@functools.lru_cache(maxsize=8)
def tile_order(shape, device):
    """The tokens' rows in the order of tiles, and the way back."""
    import torch
    (t, h, w), (a, b, c) = shape, TILE
    rows = torch.arange(t * h * w, device=device).view(t // a, a, h // b, b, w // c, c).permute(0, 2, 4, 1, 3, 5).reshape(-1)
    return rows, rows.argsort()


def attend(q, k, v, *, grid, options, **context):
    shape = (grid.frames, grid.height, grid.width)
    there, back = tile_order(shape, q.device)
    tiled = [x.index_select(2, there).contiguous() for x in (q, k, v)]
    windows = [list(options["window"])] * q.shape[1]
    out = PACKAGE.imported().sliding_tile_attention(*tiled, windows, 0, False, "x".join(map(str, shape)))
    return out.index_select(2, back)
