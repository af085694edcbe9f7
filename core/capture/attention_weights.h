#pragma once

// Shape legend: N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include "core/capture/captured_call.h"

namespace reelgrid::capture {

/// The weights that these queries of a call give to each key, fp32 [N, M], each row's sum 1: softmax of the
/// scaled scores, with the call's key bias and mask, a causal one aligned at the bottom right; zeros for a
/// query that it lets see no key. `positions_N`: where the queries are in the sequence.
at::Tensor attentionWeights(const CapturedCall& call, const at::Tensor& q_ND, const at::Tensor& k_MD,
                            const at::Tensor& positions_N);

/// The mean weights, fp64 [M], that `taken` queries give to each key: those of the rows [first, first + size)
/// of a head's q_ND, spread evenly.
at::Tensor meanWeights(const CapturedCall& call, const at::Tensor& q_ND, const at::Tensor& k_MD,
                       std::int64_t first, std::int64_t size, std::int64_t taken);

/// BadUsage naming --batch or --head when the call has no such head.
Result<void> requireHead(const CapturedCall& call, std::int64_t batch, std::int64_t head);

}  // namespace reelgrid::capture
