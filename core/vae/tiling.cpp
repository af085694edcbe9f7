#include "core/vae/tiling.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace reelgrid::vae {
namespace {

constexpr std::int64_t kRowAxis = 1, kColumnAxis = 2;

std::vector<TileSpan> spansOf(std::int64_t length, const TileAxis& axis, std::int64_t spatialFactor) {
    const std::int64_t tile = axis.tilePixels / spatialFactor, stride = axis.stridePixels / spatialFactor;
    std::vector<TileSpan> spans;
    for (std::int64_t begin = 0; begin < length; begin += stride)
        spans.push_back({begin, std::min(tile, length - begin), std::min(stride, length - begin)});
    return spans;
}

void requireWholeLatentPixels(const TileAxis& axis, std::int64_t spatialFactor) {
    if (axis.stridePixels < 1 || axis.stridePixels > axis.tilePixels ||
        axis.tilePixels % spatialFactor != 0 || axis.stridePixels % spatialFactor != 0)
        throw Failure(ErrorCode::InvalidData, "tiles of " + std::to_string(axis.tilePixels) +
                                                  " pixels, one each " + std::to_string(axis.stridePixels) +
                                                  ": multiples of " + std::to_string(spatialFactor) +
                                                  " were needed, the second not above the first");
}

/// The last `count` pixels of a tile along an axis, or all of them.
at::Tensor endOf(const at::Tensor& tile_THWC, std::int64_t axis, std::int64_t count) {
    const std::int64_t length = tile_THWC.size(axis), kept = std::min(count, length);
    return tile_THWC.narrow(axis, length - kept, kept);
}

/// Lets `tile` begin as `before` ends, `step` pixels alike. Where the picture ends within the overlap both
/// end there, and the shorter one decides how far.
void fadeIn(const at::Tensor& tile_THWC, const at::Tensor& before_THWC, std::int64_t axis,
            std::int64_t step) {
    const std::int64_t extent = std::min(tile_THWC.size(axis), before_THWC.size(axis));
    if (extent == 0) return;
    std::vector<std::int64_t> shape(4, 1);
    shape[std::size_t(axis)] = extent;
    const std::int64_t steps = extent / step;
    const at::Tensor share =
        at::arange(steps, tile_THWC.options()).div_(double(steps)).repeat_interleave(step).reshape(shape);
    at::Tensor begin = tile_THWC.narrow(axis, 0, extent);
    begin.mul_(share).add_(endOf(before_THWC, axis, extent) * (1 - share));
}

}  // namespace

Tiling Tiling::ofEdge(std::int64_t tilePixels, std::int64_t multiple) {
    const TileAxis edge{tilePixels, std::max(multiple, tilePixels * 3 / 4 / multiple * multiple)};
    return {edge, edge};
}

TileGrid::TileGrid(std::int64_t latentRows, std::int64_t latentColumns, const Tiling& tiling,
                   std::int64_t spatialFactor)
    : ranks(tiling.ranks) {
    requireWholeLatentPixels(tiling.rows, spatialFactor);
    requireWholeLatentPixels(tiling.columns, spatialFactor);
    const bool whole = latentRows * spatialFactor <= tiling.rows.tilePixels &&
                       latentColumns * spatialFactor <= tiling.columns.tilePixels;
    if (whole) {
        rows = {{0, latentRows, latentRows}};
        columns = {{0, latentColumns, latentColumns}};
        return;
    }
    rows = spansOf(latentRows, tiling.rows, spatialFactor);
    columns = spansOf(latentColumns, tiling.columns, spatialFactor);
    rowOverlap = tiling.rows.overlapPixels() / spatialFactor;
    columnOverlap = tiling.columns.overlapPixels() / spatialFactor;
}

at::Tensor joinTiles(const TileGrid& grid, std::int64_t scale, const TileMaker& make) {
    at::Tensor picture_THWC;
    std::vector<at::Tensor> above(grid.columns.size());  // how the tiles of the row before end
    for (const TileSpan& rows : grid.rows) {
        at::Tensor before;
        for (std::size_t column = 0; column < grid.columns.size(); ++column) {
            const TileSpan& columns = grid.columns[column];
            const at::Tensor tile_THWC = make(rows, columns);
            if (rows.begin > 0) fadeIn(tile_THWC, above[column], kRowAxis, grid.fadeStep);
            if (columns.begin > 0) fadeIn(tile_THWC, before, kColumnAxis, grid.fadeStep);
            above[column] = endOf(tile_THWC, kRowAxis, grid.rowOverlap * scale).clone();
            before = endOf(tile_THWC, kColumnAxis, grid.columnOverlap * scale).clone();

            if (!picture_THWC.defined()) {
                const TileSpan &lastRow = grid.rows.back(), &lastColumn = grid.columns.back();
                picture_THWC = at::empty({tile_THWC.size(0), (lastRow.begin + lastRow.length) * scale,
                                          (lastColumn.begin + lastColumn.length) * scale, tile_THWC.size(3)},
                                         tile_THWC.options());
            }
            picture_THWC.narrow(kRowAxis, rows.begin * scale, rows.kept * scale)
                .narrow(kColumnAxis, columns.begin * scale, columns.kept * scale)
                .copy_(tile_THWC.narrow(kRowAxis, 0, rows.kept * scale)
                           .narrow(kColumnAxis, 0, columns.kept * scale));
        }
    }
    return picture_THWC;
}

namespace {

/// Takes the tiles of a grid one after another, which its ranks decode in turns.
class SharedTiles {
  public:
    SharedTiles(const TileGrid& grid, TileMaker decode) : m_grid(grid), m_decode(std::move(decode)) {}

    at::Tensor next(const TileSpan& rows, const TileSpan& columns) {
        if (m_taken % m_grid.ranks->ranks() == 0) takeTurn();
        const at::Tensor tile_THWC = m_turn[m_taken++ % m_grid.ranks->ranks()];
        return tile_THWC.narrow(kRowAxis, 0, rows.length * m_scale)
            .narrow(kColumnAxis, 0, columns.length * m_scale);
    }

  private:
    /// The first tile is as large as any; a rank that has none left decodes it again for its shape.
    void takeTurn() {
        const std::int64_t mine = m_taken + m_grid.ranks->rank();
        const auto columns = static_cast<std::int64_t>(m_grid.columns.size());
        const std::int64_t index = mine < m_grid.count() ? mine : 0;
        const TileSpan &rowSpan = m_grid.rows[static_cast<std::size_t>(index / columns)],
                       &columnSpan = m_grid.columns[static_cast<std::size_t>(index % columns)];
        const at::Tensor tile_THWC = m_decode(rowSpan, columnSpan);
        m_scale = tile_THWC.size(kRowAxis) / rowSpan.length;
        const std::int64_t below = m_grid.rows.front().length * m_scale - tile_THWC.size(kRowAxis),
                           right = m_grid.columns.front().length * m_scale - tile_THWC.size(kColumnAxis);
        m_turn = m_grid.ranks->exchange(at::constant_pad_nd(tile_THWC, {0, 0, 0, right, 0, below}));
    }

    const TileGrid& m_grid;
    TileMaker m_decode;
    std::int64_t m_taken = 0, m_scale = 1;
    at::Tensor m_turn;  ///< [ranks, T, H, W, C]
};

}  // namespace

at::Tensor joinDecodedTiles(const TileGrid& grid, std::int64_t scale, std::int64_t frames,
                            const TileDecoder& decode,
                            const std::function<void(std::int64_t done, std::int64_t total)>& progress) {
    const std::int64_t ranks = grid.ranks != nullptr ? grid.ranks->ranks() : 1;
    const std::int64_t total = (grid.count() + ranks - 1) / ranks * frames;
    std::int64_t framesDone = 0;
    const auto make = [&](const TileSpan& rows, const TileSpan& columns) {
        at::Tensor tile_THWC;
        std::int64_t filled = 0;
        decode(rows, columns, [&](const at::Tensor& frames_THWC) {
            const std::int64_t count = frames_THWC.size(0);
            if (!tile_THWC.defined()) {
                auto shape = frames_THWC.sizes().vec();
                shape[0] = frames;
                tile_THWC = at::empty(shape, frames_THWC.options());
            }
            tile_THWC.narrow(0, filled, count).copy_(frames_THWC);
            filled += count;
            framesDone += count;
            if (progress) progress(framesDone, total);
        });
        return tile_THWC;
    };
    if (ranks == 1) return joinTiles(grid, scale, make);
    SharedTiles shared(grid, make);
    return joinTiles(grid, scale, [&](const TileSpan& rows, const TileSpan& columns) {
        return shared.next(rows, columns);
    });
}

}  // namespace reelgrid::vae
