#pragma once

// Shape legend: B pictures, N picture tokens, M text tokens, C channels, T channels of the timestep's
// embedding (as many), P prompts, R rows of modulation.

#include <optional>

#include "core/models/layers/norms.h"
#include "core/models/sd35/attention.h"
#include "core/models/sd35/temporal_module.h"

namespace reelgrid::models::sd35 {

/// Both residual streams of a pass: of the pictures' tokens, [B, N, C], and of the text's, [B, M, C].
struct Streams {
    ResidualStream picture, text;
};

/// A temporal module's part in the blocks, where there is one.
struct TemporalPart {
    const TemporalModule* module = nullptr;
    double strength = 1;
};

/// One layer: joint attention (and the picture's to itself where it is dual) and a feed-forward net for each
/// stream, each norm's scale, shift and gate from the timestep and the pooled prompt (JointTransformerBlock).
class Block {
  public:
    Block(const Sd35TransformerConfig& config, const weights::WeightScope& scope, std::int64_t layer);

    /// What timestep and prompts make of the layer: fp32 [P, R, C], from silu(embedding) [P, T].
    [[nodiscard]] at::Tensor modulation(const at::Tensor& embedding_PT) const;

    /// modulation_RC: that of one prompt.
    void forward(Streams& streams, const at::Tensor& modulation_RC, const TemporalPart& temporal,
                 const attention::LayerContext& context) const;

    /// What forward() works in for each token, its residual stream included.
    static std::int64_t bytesPerToken(const Sd35TransformerConfig& config, at::ScalarType dtype);

    template <class Visit>
    void eachLinear(const Visit& visit) {
        m_attn.eachLinear(visit);
        if (m_attn2) m_attn2->eachLinear(visit);
        visit(m_picture.up);
        visit(m_picture.down);
        visit(m_text.up);
        visit(m_text.down);
    }
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_norm1.eachTensor(visit);
        m_norm1Context.eachTensor(visit);
        m_attn.eachTensor(visit);
        if (m_attn2) m_attn2->eachTensor(visit);
        for (FeedForward* net : {&m_picture, &m_text}) {
            net->up.eachTensor(visit);
            net->down.eachTensor(visit);
        }
    }

  private:
    struct FeedForward {
        Linear up, down;
        static FeedForward load(const Sd35TransformerConfig& config, const weights::WeightScope& scope);
    };
    [[nodiscard]] bool isLast() const { return !m_text.up.weight.defined(); }

    at::ScalarType m_dtype;
    int m_layer;
    Linear m_norm1, m_norm1Context;  ///< what makes the modulation of a stream's norms
    JointAttention m_attn;
    std::optional<PictureAttention> m_attn2;
    FeedForward m_picture;
    FeedForward m_text;  ///< no weights in the last layer
};

}  // namespace reelgrid::models::sd35
