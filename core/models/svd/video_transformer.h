#pragma once

// Shape legend: F frames, H rows, W columns, P = H·W pixels, C channels, N tokens of the picture, X their
// channels.

#include <ATen/ATen.h>

#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/unet/token_block.h"

namespace reelgrid::models::svd {

/// Attention of each pixel's values in all frames to each other and to the picture, between two feed-forward
/// layers (TemporalBasicTransformerBlock of diffusers).
class TimeBlock {
  public:
    TimeBlock(const weights::WeightScope& scope, const unet::TokenBlock::Sizes& sizes);

    /// x_FPC [F, P, C] and positions_F1C that are added first, picture [1, N, X] → [F, P, C].
    [[nodiscard]] unet::PendingSum forward(const at::Tensor& x_FPC, const at::Tensor& positions_F1C,
                                           const at::Tensor& picture, int place,
                                           const attention::LayerContext& context) const;

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        for (unet::TokenNorm* norm : {&m_norm_in, &m_norm1, &m_norm2, &m_norm3}) norm->eachTensor(visit);
        m_ff_in.eachTensor(visit);
        m_attn1.eachTensor(visit);
        m_attn2.eachTensor(visit);
        m_ff.eachTensor(visit);
    }

  private:
    /// What lies behind both attentions, and the norm of it.
    [[nodiscard]] unet::TokenNorm::OfSum attended(const at::Tensor& x_FPC, const at::Tensor& normed_FPC,
                                                  const at::Tensor& picture, int place,
                                                  const attention::LayerContext& context) const;

    std::int64_t m_heads;
    unet::TokenNorm m_norm_in, m_norm1, m_norm2, m_norm3;
    unet::GatedFeedForward m_ff_in;
    unet::SelfProducts m_attn1;
    unet::CrossProducts m_attn2;
    unet::GatedFeedForward m_ff;
};

/// Attention within frames and along time by turns, the second blended in by a learned share
/// (TransformerSpatioTemporalModel of diffusers).
class VideoTransformer {
  public:
    struct Sizes {
        std::int64_t channels = 0, heads = 8, pictureChannels = 1024, layers = 1;
    };
    /// `place`: what its attention calls' layer is.
    VideoTransformer(const vae::LayerSource& source, const Sizes& sizes, int place);

    /// x_FHWC [F, H, W, C], picture [1, N, X] → [F, H, W, C].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_FHWC, const at::Tensor& picture,
                                     const attention::LayerContext& context) const;

    /// Calls visit(tensor) for each that a checkpoint has, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_norm.eachTensor(visit);
        for (Linear* linear : {&m_proj_in, &m_proj_out, &m_time_pos_embed_1, &m_time_pos_embed_2})
            linear->eachTensor(visit);
        for (Turn& turn : m_turns) {
            turn.still.eachTensor(visit);
            turn.moving.eachTensor(visit);
        }
    }

  private:
    struct Turn {
        unet::TokenBlock still;
        TimeBlock moving;
    };
    /// What each frame's place in time adds: [F, 1, C].
    [[nodiscard]] const at::Tensor& framePositions(std::int64_t frames,
                                                   const at::TensorOptions& options) const;

    std::int64_t m_channels;
    int m_place;
    vae::GroupNorm m_norm;
    Linear m_proj_in, m_proj_out;
    Linear m_time_pos_embed_1, m_time_pos_embed_2;
    double m_time_share;
    std::vector<Turn> m_turns;
    mutable at::Tensor m_framePositions_F1C;  ///< as they were asked for last: the same in every pass
};

}  // namespace reelgrid::models::svd
