#pragma once

// Shape legend: N tokens, P = D / 2 pairs of a head's D channels.

#include <ATen/ATen.h>

namespace reelgrid::models {

/// What each token's interleaved pairs are turned by, the same in every head.
struct RopeTable {
    at::Tensor cos_NP;  ///< fp32
    at::Tensor sin_NP;  ///< fp32
};

}  // namespace reelgrid::models
