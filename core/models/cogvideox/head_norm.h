#pragma once

// Shape legend: B batch, N tokens of text and video, H heads of D channels, C = H·D, V video tokens.

#include <ATen/ATen.h>

namespace reelgrid::models::cogvideox {

/// A layer norm over each head's channels by itself, of queries or keys.
struct HeadNorm {
    at::Tensor weight_D, bias_D;  ///< fp32

    /// [B, N, H, D] of x_BNC, whose memory it may take: normed, then the video's tokens, the last V, turned
    /// by `rotary` (positions.h; undefined: none are). On a GPU one pass over memory, rounded once.
    [[nodiscard]] at::Tensor normed(const at::Tensor& x_BNC, const at::Tensor& rotary) const;
};

}  // namespace reelgrid::models::cogvideox
