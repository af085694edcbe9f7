#pragma once

// Shape legend: B batch, N tokens of one kind, T of all kinds, H heads of D channels, V = 3·H·D: a token's
// queries, keys and values side by side.

#include <ATen/ATen.h>

namespace reelgrid::models {

/// What joinHeads() norms by: RMS norms over each head's channels, fp32 weights, undefined where values stay.
struct HeadRmsWeights {
    at::Tensor query_D, key_D;
    double eps = 0;
};

/// Whether joinHeads() takes these products: on an NVIDIA GPU, dense, heads of 16, 32, 64 or 128 channels.
bool joinsHeads(const at::Tensor& qkv_BNV, std::int64_t headDim);

/// Queries and keys normed, rounded once, and values, into out_BTV from token `first` on: one pass over
/// memory. Out may be qkv_BNV itself.
void joinHeads(const at::Tensor& qkv_BNV, std::int64_t headDim, const HeadRmsWeights& norms,
               const at::Tensor& out_BTV, std::int64_t first);

}  // namespace reelgrid::models
