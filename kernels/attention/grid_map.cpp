#include "kernels/attention/grid_map.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace reelgrid::kernels {
namespace {

std::int64_t parts(std::int64_t size, std::int64_t of) {
    return (size + of - 1) / of;
}

/// Of a block: a tile that some of its tokens are in.
struct TileCell {
    std::int64_t at[3];
    bool isText;

    bool operator==(const TileCell&) const = default;
};

/// Of a block: tokens in a row of one frame.
struct FrameCell {
    std::int64_t frame, first, last;
    bool isText;
};

/// Whether tile `key` is in the window of tile `query` along an axis of `count` tiles: the window keeps its
/// width at the ends.
bool isInWindow(std::int64_t query, std::int64_t key, std::int64_t count, std::int64_t window) {
    const std::int64_t half = window / 2;
    if (count <= 2 * half + 1) return true;
    return std::abs(std::clamp(query, half, count - 1 - half) - key) <= half;
}

int bitLength(std::int64_t x) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x)));
}

}  // namespace

/// cellsOf(first, end): what the tokens of a block are in.
template <class CellsOf, class Sees>
void GridMap::keep(std::int64_t tokens, const SparseBlocks& blocks, const CellsOf& cellsOf,
                   const Sees& sees) {
    const auto all = [&](std::int64_t size) {
        std::vector<decltype(cellsOf(0, 0))> cells;
        for (std::int64_t first = 0; first < tokens; first += size)
            cells.push_back(cellsOf(first, std::min(tokens, first + size)));
        return cells;
    };
    const auto queries = all(blocks.queries), keys = all(blocks.keys);
    m_keyBlocks = static_cast<std::int64_t>(keys.size());
    for (const auto& query : queries) {
        std::vector<std::int32_t>& kept = m_kept.emplace_back();
        for (std::size_t key = 0; key < keys.size(); ++key)
            if (std::ranges::any_of(query, [&](const auto& a) {
                    return std::ranges::any_of(keys[key], [&](const auto& b) { return sees(a, b); });
                }))
                kept.push_back(static_cast<std::int32_t>(key));
    }
}

GridMap::GridMap(const TokenGrid& grid, const SlidingTiles& tiles, const SparseBlocks& blocks) {
    const std::int64_t size[3] = {grid.frames, grid.rows, grid.columns};
    std::int64_t count[3];
    for (int axis = 0; axis < 3; ++axis) count[axis] = parts(size[axis], tiles.tile[axis]);
    std::vector<TileCell> tileOf;  // of each token in the map's order
    const auto add = [&](std::int64_t token, const TileCell& cell) {
        m_order.push_back(static_cast<std::int32_t>(token));
        tileOf.push_back(cell);
    };
    for (std::int64_t n = 0; n < grid.textBefore; ++n) add(n, {{0, 0, 0}, true});
    for (std::int64_t t = 0; t < count[0]; ++t)
        for (std::int64_t y = 0; y < count[1]; ++y)
            for (std::int64_t x = 0; x < count[2]; ++x)
                for (std::int64_t f = t * tiles.tile[0]; f < std::min((t + 1) * tiles.tile[0], size[0]); ++f)
                    for (std::int64_t r = y * tiles.tile[1]; r < std::min((y + 1) * tiles.tile[1], size[1]);
                         ++r)
                        for (std::int64_t c = x * tiles.tile[2];
                             c < std::min((x + 1) * tiles.tile[2], size[2]); ++c)
                            add(grid.textBefore + (f * size[1] + r) * size[2] + c, {{t, y, x}, false});
    for (std::int64_t n = 0; n < grid.textAfter; ++n)
        add(grid.tokens() - grid.textAfter + n, {{0, 0, 0}, true});

    const auto cellsOf = [&](std::int64_t first, std::int64_t end) {
        std::vector<TileCell> cells;
        for (std::int64_t n = first; n < end; ++n)
            if (cells.empty() || cells.back() != tileOf[static_cast<std::size_t>(n)])
                cells.push_back(tileOf[static_cast<std::size_t>(n)]);
        return cells;
    };
    keep(grid.tokens(), blocks, cellsOf, [&](const TileCell& query, const TileCell& key) {
        if (query.isText || key.isText) return true;
        for (int axis = 0; axis < 3; ++axis)
            if (!isInWindow(query.at[axis], key.at[axis], count[axis], tiles.window[axis])) return false;
        return true;
    });
}

GridMap::GridMap(const TokenGrid& grid, const RadialWindow& window, const SparseBlocks& blocks) {
    const std::int64_t perFrame = grid.rows * grid.columns;
    const auto cellsOf = [&](std::int64_t first, std::int64_t end) {
        std::vector<FrameCell> cells;
        for (std::int64_t n = first; n < end; ++n) {
            const std::int64_t place = n - grid.textBefore;
            const bool isText = place < 0 || place >= grid.frames * perFrame;
            const std::int64_t frame = isText ? -1 : place / perFrame;
            if (cells.empty() || cells.back().frame != frame || isText)
                cells.push_back({frame, isText ? 0 : place % perFrame, 0, isText});
            cells.back().last = isText ? 0 : place % perFrame;
        }
        return cells;
    };
    keep(grid.tokens(), blocks, cellsOf, [&](const FrameCell& query, const FrameCell& key) {
        const std::int64_t distance = std::abs(query.frame - key.frame);
        if (query.isText || key.isText || key.frame == 0 || distance <= 1) return true;
        const double width = std::ldexp(1.0, bitLength(perFrame) - bitLength(distance));
        const auto least = static_cast<double>(window.least);
        if (width < least && distance % static_cast<std::int64_t>(least / width) != 0) return false;
        const std::int64_t gap = std::max({std::int64_t{0}, key.first - query.last, query.first - key.last});
        return static_cast<double>(gap) <= std::max(width * window.decay, least);
    });
}

double GridMap::keptShare() const {
    std::size_t kept = 0;
    for (const auto& blocks : m_kept) kept += blocks.size();
    return static_cast<double>(kept) /
           (static_cast<double>(m_kept.size()) * static_cast<double>(m_keyBlocks));
}

}  // namespace reelgrid::kernels
