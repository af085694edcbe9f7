#pragma once

// Shape legend: B batch, M text positions, T text channels.

#include <ATen/ATen.h>

namespace reelgrid::models::wan {

/// A prompt whose padding is one position, and what is added to each position's attention score to make up
/// for it.
struct CollapsedText {
    at::Tensor text_BMT;
    at::Tensor keyBias_M;  ///< fp32: log of how many positions each stands for; undefined when each stands
                           ///< for itself
};

/// The pipeline pads prompts with zero rows that cross-attention does see: hundreds of equal keys and values.
/// One of them with log(count) added to its score gives the same softmax, so the result is exact and the work
/// follows the prompt's length. Only the zero rows at the end are collapsed, the fewest of the batch.
CollapsedText collapsePadding(const at::Tensor& text_BMT);

}  // namespace reelgrid::models::wan
