#pragma once

// Shape legend: F frames, P pixels, C channels, N tokens that are looked at, X their channels.

#include <ATen/ATen.h>

#include "core/models/unet/layers.h"

namespace reelgrid::models::unet {

/// Attention of each frame's pixels to each other and to other tokens, then a feed-forward layer
/// (BasicTransformerBlock of diffusers).
class TokenBlock {
  public:
    struct Sizes {
        std::int64_t channels = 0, heads = 8, otherChannels = 768;
    };
    TokenBlock(const weights::WeightScope& scope, const Sizes& sizes);

    /// x_FPC [F, P, C], tokens [1, N, X] of all frames or [F, N, X] → [F, P, C], what the last layer adds
    /// still by itself. `place`: what its attention calls' layer is.
    [[nodiscard]] PendingSum forward(const at::Tensor& x_FPC, const at::Tensor& tokens, int place,
                                     const attention::LayerContext& context) const;

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        for (TokenNorm* norm : {&m_norm1, &m_norm2, &m_norm3}) norm->eachTensor(visit);
        m_attn1.eachTensor(visit);
        m_attn2.eachTensor(visit);
        m_ff.eachTensor(visit);
    }

  private:
    /// What lies behind both attentions, and the norm of it.
    [[nodiscard]] TokenNorm::OfSum attended(const at::Tensor& x_FPC, const at::Tensor& tokens, int place,
                                            const attention::LayerContext& context) const;

    std::int64_t m_heads;
    TokenNorm m_norm1, m_norm2, m_norm3;
    SelfProducts m_attn1;
    CrossProducts m_attn2;
    GatedFeedForward m_ff;
};

}  // namespace reelgrid::models::unet
