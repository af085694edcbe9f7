#pragma once

#include <ATen/core/Tensor.h>

namespace reelgrid::models {

/// Whether the rows of a [batch, tokens, channels] lie at one distance from each other, channels side by
/// side.
inline bool hasOneRowStride(const at::Tensor& x_BNC) {
    return x_BNC.dim() == 3 && x_BNC.stride(2) == 1 &&
           (x_BNC.size(0) == 1 || x_BNC.stride(0) == x_BNC.size(1) * x_BNC.stride(1));
}

}  // namespace reelgrid::models
