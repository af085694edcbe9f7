#pragma once

// Shape legend: T frames, H rows, W columns, C channels.

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace reelgrid::vae {

/// Tiles along one axis: they start `stridePixels` apart, and what is over is blended.
struct TileAxis {
    std::int64_t tilePixels = 256;
    std::int64_t stridePixels = 192;

    [[nodiscard]] std::int64_t overlapPixels() const { return tilePixels - stridePixels; }
    bool operator==(const TileAxis&) const = default;
};

/// Processes that decode the tiles of a picture together, in turns: in each as many tiles as there are
/// processes, one each.
class TileRanks {
  public:
    virtual ~TileRanks() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int ranks() const = 0;
    /// Called by all once a turn: every rank's tile, [ranks, T, H, W, C]; all are of one shape.
    [[nodiscard]] virtual at::Tensor exchange(const at::Tensor& tile_THWC) = 0;
};

/// Pictures cut into tiles that overlap, so that memory follows the tile's size. The defaults are diffusers'
/// for Wan.
struct Tiling {
    TileAxis rows, columns;
    TileRanks* ranks = nullptr;  ///< who decodes them together; null: this process alone

    /// Square tiles, a quarter of the edge overlaps: the stride is the largest multiple of `multiple` within
    /// three quarters.
    static Tiling ofEdge(std::int64_t tilePixels, std::int64_t multiple);

    bool operator==(const Tiling&) const = default;
};

/// A tile along one axis, in latent pixels.
struct TileSpan {
    std::int64_t begin = 0;
    std::int64_t length = 0;
    std::int64_t kept = 0;  ///< from `begin`: the rest is the next tile's, whose first pixels are blended

    bool operator==(const TileSpan&) const = default;
};

/// Where the tiles of a picture lie.
struct TileGrid {
    std::vector<TileSpan> rows, columns;
    std::int64_t rowOverlap = 0, columnOverlap = 0;  ///< of neighbours, in latent pixels
    TileRanks* ranks = nullptr;                      ///< the tiling's
    /// Pixels that fade in alike: of a decoder that makes patches, whose values diffusers blends before they
    /// become pixels, their edge.
    std::int64_t fadeStep = 1;

    /// A picture of that many latent pixels; one that fits into a tile is one. Throws Failure(InvalidData)
    /// unless tile and stride are multiples of `spatialFactor` and 0 < stride <= tile.
    TileGrid(std::int64_t latentRows, std::int64_t latentColumns, const Tiling& tiling,
             std::int64_t spatialFactor);

    [[nodiscard]] std::int64_t count() const { return std::int64_t(rows.size() * columns.size()); }
};

/// Makes one tile: fp32 [T, s·rows.length, s·columns.length, C], which joinTiles() may change.
using TileMaker = std::function<at::Tensor(const TileSpan& rows, const TileSpan& columns)>;

/// Makes the tiles from left to right and from the top down, `scale` pixels an edge of a latent pixel, and
/// puts them together: [T, s·H, s·W, C]. At its top and left a tile fades in linearly over what the tile
/// above and the one before it hold there, as diffusers' AutoencoderKLWan and AutoencoderKLCogVideoX blend
/// (tiled_decode, tiled_encode).
at::Tensor joinTiles(const TileGrid& grid, std::int64_t scale, const TileMaker& make);

/// Takes frames_THWC as they are decoded.
using TileFrameSink = std::function<void(const at::Tensor& frames_THWC)>;
/// Decodes one tile frame by frame.
using TileDecoder =
    std::function<void(const TileSpan& rows, const TileSpan& columns, const TileFrameSink& sink)>;

/// joinTiles() of tiles that come in pieces of `frames` frames in all; `progress`, where there is one, is
/// told how many frames of how many, over all tiles that are this process's to decode, there are.
at::Tensor joinDecodedTiles(const TileGrid& grid, std::int64_t scale, std::int64_t frames,
                            const TileDecoder& decode,
                            const std::function<void(std::int64_t done, std::int64_t total)>& progress);

}  // namespace reelgrid::vae
