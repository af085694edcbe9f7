#pragma once

// Shape legend: F frames, H rows, W columns, P = H·W pixels, C channels, N text tokens, X channels of text.

#include <ATen/ATen.h>

#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/animatediff/config.h"
#include "core/models/animatediff/layers.h"

namespace reelgrid::models::animatediff {

/// Attention of each frame's pixels to each other and to the text, then a feed-forward layer
/// (Transformer2DModel of diffusers over BasicTransformerBlocks).
class SpatialTransformer {
  public:
    struct Sizes {
        std::int64_t channels = 0, heads = 8, textChannels = 768, layers = 1, normGroups = 32;
        UnetConfig::TokenProjection projection = UnetConfig::TokenProjection::Conv;
    };
    /// `place`: what its attention calls' layer is.
    SpatialTransformer(const LayerSource& source, const Sizes& sizes, int place);

    /// x_FHWC [F, H, W, C], text [1, N, X] of all frames or [F, N, X] → [F, H, W, C].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_FHWC, const at::Tensor& text,
                                     const attention::LayerContext& context) const;
    /// What it will take beside other layers.
    void forwardBytes(const vae::Activations& x, vae::PictureMemory& memory) const {
        constexpr std::size_t kInput = 1;
        noteTokenLayers(x, kInput, memory);
    }

  private:
    struct Block {
        TokenNorm norm1, norm2, norm3;
        SelfProducts attn1;
        at::Tensor to_q_CC;   ///< of attn2
        at::Tensor to_kv_OX;  ///< of attn2, keys' weight above values'
        Linear to_out;        ///< of attn2
        GatedFeedForward ff;
    };
    [[nodiscard]] at::Tensor attendSelf(const Block& block, const at::Tensor& x_FPC,
                                        const attention::LayerContext& context) const;
    [[nodiscard]] at::Tensor attendText(const Block& block, const at::Tensor& x_FPC, const at::Tensor& text,
                                        const attention::LayerContext& context) const;

    Sizes m_sizes;
    int m_place;
    vae::GroupNorm m_norm;
    Linear m_proj_in, m_proj_out;
    std::vector<Block> m_blocks;
};

}  // namespace reelgrid::models::animatediff
