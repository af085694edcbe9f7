#pragma once

// Shape legend: F frames, H rows, W columns, P = H·W pixels, C channels.

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/animatediff/frame_windows.h"
#include "core/models/unet/layers.h"

namespace reelgrid::models::animatediff {

using unet::GatedFeedForward;
using unet::SelfProducts;
using unet::TokenNorm;

/// Attention of each pixel's values in all frames to each other, twice, then a feed-forward layer
/// (AnimateDiffTransformer3D of diffusers; Guo et al., arXiv 2307.04725).
class MotionModule {
  public:
    struct Sizes {
        std::int64_t channels = 0, heads = 8, layers = 1, normGroups = 32, maxFrames = 32;
    };
    /// Takes diffusers' names; positions that a checkpoint lacks are computed. `place`: what its attention
    /// calls' layer is.
    MotionModule(const vae::LayerSource& source, const Sizes& sizes, int place);

    /// What is asked of every motion module of a model.
    struct Manner {
        double strength = 1;                    ///< what is added to x is times it
        std::optional<FrameWindows> windows{};  ///< absent: all frames at once
        std::int64_t framesTogether = 0;  ///< so many frames' worth of pixels go through at once; 0: all
    };
    /// x_FHWC [F, H, W, C] → the same. Throws Failure(BadUsage) for more frames at once than maxFrames.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_FHWC, const Manner& manner,
                                     const attention::LayerContext& context) const;
    /// What it will take beside other layers, of all frames at once.
    static void forwardBytes(const vae::Activations& x, vae::PictureMemory& memory) {
        constexpr std::size_t kInputAndPositions = 2;
        unet::noteTokenLayers(x, kInputAndPositions, memory);
    }

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_norm.eachTensor(visit);
        m_proj_in.eachTensor(visit);
        m_proj_out.eachTensor(visit);
        for (Block& block : m_blocks) {
            for (TokenNorm* norm : {&block.norm1, &block.norm2, &block.norm3}) norm->eachTensor(visit);
            for (SelfProducts* products : {&block.attn1, &block.attn2}) products->eachTensor(visit);
            block.ff.eachTensor(visit);
            visit(block.positions_F1C);
        }
    }

  private:
    struct Block {
        TokenNorm norm1, norm2, norm3;
        SelfProducts attn1, attn2;
        GatedFeedForward ff;
        at::Tensor positions_F1C;
    };
    /// Both attentions of frames that see each other.
    [[nodiscard]] unet::PendingSum attendTogether(const Block& block, const at::Tensor& x_FPC,
                                                  const attention::LayerContext& context) const;
    [[nodiscard]] at::Tensor attendInWindows(const Block& block, const at::Tensor& x_FPC,
                                             const FrameWindows& windows,
                                             const attention::LayerContext& context) const;
    [[nodiscard]] at::Tensor throughBlocks(const at::Tensor& normed_FPC, const Manner& manner,
                                           const attention::LayerContext& context) const;

    Sizes m_sizes;
    int m_place;
    vae::GroupNorm m_norm;
    Linear m_proj_in, m_proj_out;
    std::vector<Block> m_blocks;
};

/// Sines and cosines of a frame's number, interleaved: fp32 [1, frames, channels]
/// (SinusoidalPositionalEmbedding of diffusers).
at::Tensor sinusoidalPositions(std::int64_t frames, std::int64_t channels);

}  // namespace reelgrid::models::animatediff
