#pragma once

// Shape legend: B batch, N tokens of text and video, H heads of D channels, C = H·D, V video tokens.

#include <ATen/ATen.h>

#include "core/weights/weight_source.h"

namespace reelgrid::models {

/// A layer norm over each head's channels by itself, of queries or keys.
struct HeadNorm {
    at::Tensor weight_D, bias_D;  ///< fp32

    static HeadNorm load(const weights::WeightScope& scope, std::int64_t headDim) {
        return {scope.fp32("weight", {headDim}), scope.fp32("bias", {headDim})};
    }

    /// [B, N, H, D] of x_BNC, whose memory it may take: normed, then the video's tokens, the last V, turned
    /// by `rotary`: [V, D / 2] complex64, what its interleaved pairs are multiplied by (undefined: none are).
    /// On the CPU in fp32 and bf16 and on a GPU one pass over memory, rounded once.
    [[nodiscard]] at::Tensor normed(const at::Tensor& x_BNC, const at::Tensor& rotary) const;

    /// Calls visit(tensor) for each.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(weight_D);
        visit(bias_D);
    }
};

}  // namespace reelgrid::models
