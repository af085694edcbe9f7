#pragma once

// Shape legend: B pictures, N picture tokens, M text tokens, T all tokens, C = H·D channels of H heads, V = 3
// C channels of queries, keys and values side by side.

#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/layers/linear.h"
#include "core/models/sd35/config.h"

namespace reelgrid::models::sd35 {

/// An RMS norm over each head's channels by itself, of queries or keys.
struct HeadRmsNorm {
    at::Tensor weight_D;  ///< fp32; undefined: values stay as they are

    static HeadRmsNorm load(const weights::WeightScope& scope, const Sd35TransformerConfig& config);

    /// [B, N, H, D] of x_BNC, whose memory it may take.
    [[nodiscard]] at::Tensor normed(const at::Tensor& x_BNC, std::int64_t heads) const;
};

/// Queries, keys and values, normed.
struct HeadProducts {
    at::Tensor q_BNHD, k_BNHD, v_BNHD;
};
class Projections {
  public:
    struct Names {
        const char *q, *k, *v, *normQ, *normK;
    };
    Projections(const Sd35TransformerConfig& config, const weights::WeightScope& scope, const Names& names);

    /// Each kind of token's, x_BNC in the order of `kinds`, one kind after another. On a GPU norms and
    /// joining are one pass over memory.
    static HeadProducts joined(const std::vector<std::pair<const Projections*, at::Tensor>>& kinds,
                               const attention::LayerContext& context);

    template <class Visit>
    void eachLinear(const Visit& visit) {
        visit(m_qkv);
    }
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_qkv.eachTensor(visit);
        visit(m_normQ.weight_D);
        visit(m_normK.weight_D);
    }

  private:
    /// Of m_qkv's products.
    [[nodiscard]] HeadProducts normed(const at::Tensor& qkv_BNV) const;

    std::int64_t m_heads;
    Linear m_qkv;  ///< as one product
    HeadRmsNorm m_normQ, m_normK;
};

/// attn: every token of picture and text looks at every token of both.
class JointAttention {
  public:
    JointAttention(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
                   std::int64_t layer);

    struct Output {
        at::Tensor picture_BNC;
        at::Tensor text_BMC;  ///< undefined in the last layer
    };
    [[nodiscard]] Output forward(const at::Tensor& picture_BNC, const at::Tensor& text_BMC, int layer,
                                 const attention::LayerContext& context) const;

    /// What forward() works in for each token.
    static std::int64_t bytesPerToken(const Sd35TransformerConfig& config, at::ScalarType dtype);

    template <class Visit>
    void eachLinear(const Visit& visit) {
        m_picture.eachLinear(visit);
        m_text.eachLinear(visit);
        visit(m_out);
        visit(m_addOut);
    }
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_picture.eachTensor(visit);
        m_text.eachTensor(visit);
        m_out.eachTensor(visit);
        m_addOut.eachTensor(visit);
    }

  private:
    Projections m_picture, m_text;
    Linear m_out;
    Linear m_addOut;  ///< no weight in the last layer
};

/// attn2 of blocks with dual attention: the picture's tokens look at each other.
class PictureAttention {
  public:
    PictureAttention(const Sd35TransformerConfig& config, const weights::WeightScope& scope);

    [[nodiscard]] at::Tensor forward(const at::Tensor& picture_BNC, int layer,
                                     const attention::LayerContext& context) const;

    template <class Visit>
    void eachLinear(const Visit& visit) {
        m_picture.eachLinear(visit);
        visit(m_out);
    }
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_picture.eachTensor(visit);
        m_out.eachTensor(visit);
    }

  private:
    Projections m_picture;
    Linear m_out;
};

}  // namespace reelgrid::models::sd35
