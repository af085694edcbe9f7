#pragma once

#include <cstdint>
#include <vector>

#include "core/weights/model_config.h"

namespace reelgrid::models::svd {

/// unet/config.json of a diffusers folder (UNetSpatioTemporalConditionModel); the defaults are Stable Video
/// Diffusion's.
struct VideoUnetConfig {
    /// What follows a block's residual layers: nothing, or attention to pixels, frames and picture.
    enum class BlockKind { Residual, CrossAttention };

    std::int64_t inChannels = 8;  ///< latents and the picture's
    std::int64_t outChannels = 4;
    std::vector<std::int64_t> blockChannels{320, 640, 1280, 1280};  ///< from the full size down
    /// Of the way down, from the full size; the way up has the same in the opposite order.
    std::vector<BlockKind> blockKinds{BlockKind::CrossAttention, BlockKind::CrossAttention,
                                      BlockKind::CrossAttention, BlockKind::Residual};
    std::vector<std::int64_t> heads{5, 10, 20, 20};  ///< of each block's attention
    std::int64_t layersPerBlock = 2;                 ///< on the way down; one more on the way up
    std::int64_t transformerLayers = 1;
    std::int64_t crossAttentionDim = 1024;
    std::int64_t additionTimeEmbedDim = 256;  ///< waves of each number that is told beside the timestep
    std::int64_t numFrames = 25;              ///< that it was trained with; it takes any number

    /// Throws Failure: InvalidData for a value that makes no model, Unsupported for one of a model that isn't
    /// built here; both name the key, its value and what was needed.
    static VideoUnetConfig from(const weights::ModelConfig& config);

    static constexpr std::int64_t kNormGroups = 32;
    /// Frames per second, motion bucket, strength of the noise.
    static constexpr std::int64_t kAddedNumbers = 3;

    [[nodiscard]] std::size_t blocks() const { return blockChannels.size(); }
    [[nodiscard]] std::int64_t timeChannels() const { return 4 * blockChannels.front(); }
    /// Places where attention may follow a residual layer, in the order of a forward pass: what an attention
    /// call's layer counts.
    [[nodiscard]] int places() const {
        return static_cast<int>(blocks()) * static_cast<int>(2 * layersPerBlock + 1) + 1;
    }
};

}  // namespace reelgrid::models::svd
