#pragma once

// Shape legend: N video tokens (frames × rows × columns, columns fastest), C channels, P = D / 2 pairs of a
// head's D channels.

#include <ATen/ATen.h>

#include <array>

#include "core/models/cogvideox/config.h"

namespace reelgrid::models::cogvideox {

/// Video tokens in frames, rows and columns.
using Grid = std::array<std::int64_t, 3>;

/// What a head's interleaved pairs are multiplied by at each token, as complex numbers: [N, P], complex64. A
/// quarter of the pairs is for frames, the rest in halves for rows and columns. 1.0's models stretch rows and
/// columns to the size that they were trained on, 1.5's count them.
at::Tensor rotaryPositions(const CogVideoXTransformerConfig& config, const Grid& grid);

/// What 2b adds to each token: sines and cosines of its frame (a quarter of the channels), column and row,
/// [N, C] fp32.
at::Tensor sinCosPositions(const CogVideoXTransformerConfig& config, const Grid& grid);

}  // namespace reelgrid::models::cogvideox
