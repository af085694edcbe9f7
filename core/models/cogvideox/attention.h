#pragma once

// Shape legend: B batch, M text tokens, N text and video tokens in one sequence, C = H·D channels of H heads.

#include <ATen/ATen.h>

#include "core/attention/layer_context.h"
#include "core/models/cogvideox/config.h"
#include "core/models/layers/head_norm.h"
#include "core/models/layers/linear.h"

namespace reelgrid::models::cogvideox {

/// attn1: every token of text and video looks at every token of both.
class JointAttention {
  public:
    JointAttention(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope, int layer);

    /// x_BNC: the text's tokens first. rotary: of the video's tokens (positions.h); undefined in models that
    /// don't rotate.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_BNC, const at::Tensor& rotary,
                                     const attention::LayerContext& context) const;

    /// What forward() works in for each token.
    static std::int64_t bytesPerToken(const CogVideoXTransformerConfig& config, at::ScalarType dtype);

    template <class Visit>
    void eachLinear(const Visit& visit) {
        visit(m_qkv);
        visit(m_out);
    }
    template <class Visit>
    void eachTensor(const Visit& visit) {
        eachLinear([&](Linear& linear) { linear.eachTensor(visit); });
        m_normQ.eachTensor(visit);
        m_normK.eachTensor(visit);
    }

  private:
    std::int64_t m_heads;
    int m_layer;
    Linear m_qkv;  ///< to_q, to_k and to_v as one product
    HeadNorm m_normQ, m_normK;
    Linear m_out;
};

}  // namespace reelgrid::models::cogvideox
