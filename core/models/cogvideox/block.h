#pragma once

#include "core/models/cogvideox/attention.h"
#include "core/models/cogvideox/layer_norm_zero.h"

namespace reelgrid::models::cogvideox {

/// One layer: joint attention and a feed-forward net around a residual stream of text and video.
class Block {
  public:
    /// Rows of modulation(): those of both norms.
    static constexpr std::int64_t kRows = 2 * LayerNormZero::kRows;

    Block(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope, int layer);

    /// What a timestep makes of the layer: [12, C] fp32, from silu(time embedding).
    [[nodiscard]] at::Tensor modulation(const at::Tensor& embedding_1T) const;

    /// The stream's runs are the text's tokens and the video's.
    void forward(ResidualStream& stream, const at::Tensor& modulation_12C, const at::Tensor& rotary,
                 const attention::LayerContext& context) const;

    /// What forward() works in for each token, its residual stream included.
    static std::int64_t bytesPerToken(const CogVideoXTransformerConfig& config, at::ScalarType dtype);

    /// Calls visit(linear) for each matrix product of tokens.
    template <class Visit>
    void eachLinear(const Visit& visit) {
        m_attn1.eachLinear(visit);
        visit(m_ffUp);
        visit(m_ffDown);
    }
    /// Calls visit(tensor) for each parameter, defined or not, always in the same order.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_norm1.eachTensor(visit);
        m_attn1.eachTensor(visit);
        m_norm2.eachTensor(visit);
        m_ffUp.eachTensor(visit);
        m_ffDown.eachTensor(visit);
    }

  private:
    at::ScalarType m_dtype;
    LayerNormZero m_norm1;
    JointAttention m_attn1;
    LayerNormZero m_norm2;
    Linear m_ffUp, m_ffDown;
};

}  // namespace reelgrid::models::cogvideox
