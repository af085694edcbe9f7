#pragma once

// Shape legend: F frames, H rows, W columns, P = H·W pixels, C channels, N text tokens, X channels of text.

#include <ATen/ATen.h>

#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/animatediff/config.h"
#include "core/models/unet/token_block.h"

namespace reelgrid::models::animatediff {

/// Attention of each frame's pixels to each other and to the text, then a feed-forward layer
/// (Transformer2DModel of diffusers).
class SpatialTransformer {
  public:
    struct Sizes {
        std::int64_t channels = 0, heads = 8, textChannels = 768, layers = 1, normGroups = 32;
        UnetConfig::TokenProjection projection = UnetConfig::TokenProjection::Conv;
    };
    /// `place`: what its attention calls' layer is.
    SpatialTransformer(const vae::LayerSource& source, const Sizes& sizes, int place);

    /// x_FHWC [F, H, W, C], text [1, N, X] of all frames or [F, N, X] → [F, H, W, C].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_FHWC, const at::Tensor& text,
                                     const attention::LayerContext& context) const;
    /// What it will take beside other layers.
    static void forwardBytes(const vae::Activations& x, vae::PictureMemory& memory) {
        constexpr std::size_t kInput = 1;
        unet::noteTokenLayers(x, kInput, memory);
    }

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_norm.eachTensor(visit);
        m_proj_in.eachTensor(visit);
        m_proj_out.eachTensor(visit);
        for (unet::TokenBlock& block : m_blocks) block.eachTensor(visit);
    }

  private:
    int m_place;
    vae::GroupNorm m_norm;
    Linear m_proj_in, m_proj_out;
    std::vector<unet::TokenBlock> m_blocks;
};

}  // namespace reelgrid::models::animatediff
