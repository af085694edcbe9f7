#pragma once

// Shape legend: T channels of the timestep's embedding, C channels of a token.

#include <ATen/ATen.h>

#include <vector>

#include "core/models/cogvideox/config.h"
#include "core/models/layers/linear.h"
#include "core/models/layers/norms.h"

namespace reelgrid::models::cogvideox {

/// A layer norm at one timestep, and what is done with what was computed from it: of the text's tokens, and
/// of the video's.
struct ModulatedNorm {
    std::vector<NormAffine> norms;    ///< text, video
    std::vector<at::Tensor> gates_C;  ///< text, video
};

/// CogVideoXLayerNormZero: a layer norm whose scale, shift and gate follow the timestep, for text and video
/// by themselves.
class LayerNormZero {
  public:
    /// Rows of modulation(): what a timestep makes of the norm, folded with its own weight and bias.
    static constexpr std::int64_t kRows = 6;

    LayerNormZero(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope);

    /// [6, C] fp32 from silu(time embedding) [1, T] in the model's dtype; the same for both guidance passes.
    [[nodiscard]] at::Tensor modulation(const at::Tensor& embedding_1T) const;
    /// That modulation as layers use it.
    [[nodiscard]] ModulatedNorm modulated(const at::Tensor& modulation_6C) const;

    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_linear.eachTensor(visit);
        visit(m_norm.weight_C);
        visit(m_norm.bias_C);
    }

  private:
    Linear m_linear;
    NormAffine m_norm;
};

}  // namespace reelgrid::models::cogvideox
