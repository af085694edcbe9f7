#pragma once

// Shape legend: B batch, M text positions, C channels of the model.

#include <ATen/ATen.h>

#include "core/models/wan/config.h"
#include "core/models/wan/linear.h"

namespace reelgrid::models::wan {

/// All that depends on the timestep alone; the conditional and the unconditional pass share it.
struct StepEmbedding {
    at::Tensor temb_1C;         ///< fp32
    at::Tensor modulation_16C;  ///< [1, 6, C] fp32: shift, scale, gate of self-attention, then of the FFN
};

/// The checkpoint's condition_embedder: a timestep and a prompt in the model's own channels.
class ConditionEmbedder {
  public:
    ConditionEmbedder(const WanTransformerConfig& config, const weights::WeightScope& scope);

    [[nodiscard]] StepEmbedding embedTimestep(double timestep) const;
    /// text_BMT in any dtype → [B, M, C] in the model's dtype.
    [[nodiscard]] at::Tensor embedText(const at::Tensor& text_BMT) const;

  private:
    std::int64_t m_freqDim;
    at::ScalarType m_dtype;
    Linear m_timeLinear1, m_timeLinear2;  ///< fp32 in every dtype, as the reference keeps them
    Linear m_timeProj;
    Linear m_textLinear1, m_textLinear2;
};

/// cos and sin of timestep · 10000^(-k / half): [1, dim] fp32, cosines first.
at::Tensor sinusoidalEmbedding(double timestep, std::int64_t dim, at::Device device);

}  // namespace reelgrid::models::wan
