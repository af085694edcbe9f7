#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/attention/call_context.h"
#include "kernels/attention/method.h"

namespace reelgrid::kernels {

/// sta: tiles of tokens, and how many tiles along each axis a query's tile sees, itself in the middle.
struct SlidingTiles {
    std::int64_t tile[3] = {4, 4, 4};    ///< frames, rows, columns
    std::int64_t window[3] = {3, 3, 3};  ///< tiles
};

/// radial: how the window of tokens that see each other narrows with the distance of their frames.
struct RadialWindow {
    double decay = 1;          ///< of the window's width
    std::int64_t least = 128;  ///< tokens that it stays wide
};

/// Which blocks of keys each block of queries attends to, by where their tokens lie in the clip: the same for
/// every head. A pair of blocks is kept where any two of its tokens see each other; text sees and is seen by
/// all.
class GridMap {
  public:
    /// sta. Its tokens come in the order that order() says.
    GridMap(const TokenGrid& grid, const SlidingTiles& tiles, const SparseBlocks& blocks);
    /// radial, in the clip's own order.
    GridMap(const TokenGrid& grid, const RadialWindow& window, const SparseBlocks& blocks);

    /// Ascending.
    [[nodiscard]] std::span<const std::int32_t> keysOf(std::int64_t queryBlock) const {
        return m_kept[static_cast<std::size_t>(queryBlock)];
    }
    [[nodiscard]] double keptShare() const;
    /// Which token of the clip is the n-th of the map's: tile by tile, text before and behind as it was.
    /// Empty: the same one.
    [[nodiscard]] const std::vector<std::int32_t>& order() const { return m_order; }

  private:
    template <class CellsOf, class Sees>
    void keep(std::int64_t tokens, const SparseBlocks& blocks, const CellsOf& cellsOf, const Sees& sees);

    std::vector<std::vector<std::int32_t>> m_kept;
    std::vector<std::int32_t> m_order;
    std::int64_t m_keyBlocks = 0;
};

}  // namespace reelgrid::kernels
