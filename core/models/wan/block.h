#pragma once

#include "core/models/layers/norms.h"
#include "core/models/wan/attention.h"
#include "core/models/wan/condition_embedder.h"

namespace reelgrid::models::wan {

/// One layer: self-attention, cross-attention and a feed-forward net around a residual stream.
class Block {
  public:
    Block(const WanTransformerConfig& config, const weights::WeightScope& scope, int layer);

    [[nodiscard]] TextKeysValues prepareText(const at::Tensor& text_BMC, const at::Tensor& keyBias_M,
                                             const at::Tensor& image_BIC) const {
        return m_attn2.prepare(text_BMC, keyBias_M, image_BIC);
    }

    /// The stream's runs are the step's.
    void forward(ResidualStream& stream, const StepEmbedding& step, const TextKeysValues& text,
                 const RopeTable& rope, const attention::LayerContext& context) const;

    /// What forward() works in for each token, its residual stream included.
    static std::int64_t bytesPerToken(const WanTransformerConfig& config, at::ScalarType dtype);

    /// Calls visit(linear) for each matrix product that the dtype decides.
    template <class Visit>
    void eachLinear(const Visit& visit) {
        m_attn1.eachLinear(visit);
        m_attn2.eachLinear(visit);
        visit(m_ffnUp);
        visit(m_ffnDown);
    }
    /// Calls visit(tensor) for each parameter, defined or not, always in the same order.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_attn1.eachTensor(visit);
        m_attn2.eachTensor(visit);
        m_ffnUp.eachTensor(visit);
        m_ffnDown.eachTensor(visit);
        visit(m_scaleShiftTable);
        visit(m_norm2.weight_C);
        visit(m_norm2.bias_C);
    }

  private:
    [[nodiscard]] at::Tensor feedForward(const at::Tensor& x_BNC,
                                         const attention::LayerContext& context) const;

    double m_eps;
    at::ScalarType m_dtype;
    at::Tensor m_scaleShiftTable;  ///< [1, 6, C] fp32
    SelfAttention m_attn1;
    NormAffine m_norm2;  ///< undefined when the checkpoint has no cross_attn_norm
    CrossAttention m_attn2;
    Linear m_ffnUp, m_ffnDown;
};

}  // namespace reelgrid::models::wan
