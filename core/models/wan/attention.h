#pragma once

// Shape legend: B batch, N picture tokens, M text positions, I positions of a picture's embedding, H heads,
// D head dim, C = H·D channels.

#include <ATen/ATen.h>

#include "core/attention/layer_context.h"
#include "core/models/layers/linear.h"
#include "core/models/wan/config.h"
#include "core/models/wan/rope.h"

namespace reelgrid::models::wan {

/// attn1: every picture token looks at every picture token.
class SelfAttention {
  public:
    SelfAttention(const WanTransformerConfig& config, const weights::WeightScope& scope, int layer);

    [[nodiscard]] at::Tensor forward(const at::Tensor& x_BNC, const RopeTable& rope,
                                     const attention::LayerContext& context) const;

    /// What forward() works in for each token.
    static std::int64_t bytesPerToken(const WanTransformerConfig& config, at::ScalarType dtype);

    template <class Visit>
    void eachLinear(const Visit& visit) {
        visit(m_qkv);
        visit(m_out);
    }
    template <class Visit>
    void eachTensor(const Visit& visit) {
        for (Linear* linear : {&m_qkv, &m_out, &m_projL}) linear->eachTensor(visit);
        visit(m_normQ);
        visit(m_normK);
    }

  private:
    std::int64_t m_heads;
    double m_eps;
    int m_layer;
    Linear m_qkv;  ///< to_q, to_k and to_v as one product
    at::Tensor m_normQ, m_normK;
    Linear m_out;
    /// proj_l of sla's linear branch, fp32; undefined in a checkpoint that wasn't fine-tuned for sla.
    Linear m_projL;
};

/// The text, and the picture that the clip begins with, as one layer's cross-attention sees them.
struct TextKeysValues {
    at::Tensor k_BHMD, v_BHMD;
    at::Tensor keyBias_M;                 ///< undefined when every position stands for itself
    at::Tensor imageK_BHID, imageV_BHID;  ///< undefined in models that take no picture's embedding
};

/// attn2: every picture token looks at the prompt and, by itself, at the embedding of a picture.
class CrossAttention {
  public:
    CrossAttention(const WanTransformerConfig& config, const weights::WeightScope& scope, int layer);

    /// Keys and values depend on the prompt and the picture alone, so they are made once, not per step.
    /// image_BIC: undefined for models that take none.
    [[nodiscard]] TextKeysValues prepare(const at::Tensor& text_BMC, const at::Tensor& keyBias_M,
                                         const at::Tensor& image_BIC) const;
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_BNC, const TextKeysValues& text,
                                     const attention::LayerContext& context) const;

    template <class Visit>
    void eachLinear(const Visit& visit) {
        for (Linear* linear : {&m_q, &m_k, &m_v, &m_addK, &m_addV, &m_out}) visit(*linear);
    }
    template <class Visit>
    void eachTensor(const Visit& visit) {
        eachLinear([&](Linear& linear) { linear.eachTensor(visit); });
        for (at::Tensor* norm : {&m_normQ, &m_normK, &m_normAddedK}) visit(*norm);
    }

  private:
    std::int64_t m_heads;
    double m_eps;
    int m_layer;
    Linear m_q, m_k, m_v;
    at::Tensor m_normQ, m_normK;
    Linear m_addK, m_addV;  ///< of a picture's embedding; undefined in models that take none
    at::Tensor m_normAddedK;
    Linear m_out;
};

}  // namespace reelgrid::models::wan
