#pragma once

// Tokens are frames × rows × columns, columns fastest; a head's D channels are pairs.

#include <ATen/ATen.h>

#include <array>
#include <map>

#include "core/models/layers/rope_table.h"

namespace reelgrid::models::wan {

/// Rotary position of a token in frames, rows and columns. A head's pairs are shared out between the axes:
/// rows and columns get ⌊D/6⌋ each, frames the rest (22, 21, 21 pairs at D = 128).
/// Angles are computed in float64, so that long clips keep their precision.
class RotaryPosEmbed {
  public:
    RotaryPosEmbed(std::int64_t headDim, std::int64_t maxLength, at::Device device);

    /// The table of a grid of tokens; made once per grid and kept for the last few.
    /// Throws Failure(BadUsage) when an axis is longer than the model's rope_max_seq_len.
    const RopeTable& forGrid(const std::array<std::int64_t, 3>& grid);

  private:
    [[nodiscard]] RopeTable make(const std::array<std::int64_t, 3>& grid) const;

    std::int64_t m_headDim;
    std::int64_t m_maxLength;
    at::Device m_device;
    std::map<std::array<std::int64_t, 3>, RopeTable> m_tables;
};

}  // namespace reelgrid::models::wan
