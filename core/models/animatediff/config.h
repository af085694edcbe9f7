#pragma once

#include <cstdint>
#include <vector>

#include "core/weights/model_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::models::animatediff {

/// unet/config.json of a diffusers folder (UNet2DConditionModel or UNetMotionModel); the defaults are Stable
/// Diffusion 1.5's.
struct UnetConfig {
    /// What follows a block's residual layers: nothing, or attention to pixels and text.
    enum class BlockKind { Residual, CrossAttention };
    /// How pixels come to a transformer and back: 1×1 convolutions (SD 1.5) or linear layers (SD 2).
    enum class TokenProjection { Conv, Linear };

    std::int64_t inChannels = 4;
    std::int64_t outChannels = 4;
    std::vector<std::int64_t> blockChannels{320, 640, 1280, 1280};  ///< from the full size down
    /// Of the way down, from the full size; the way up has the same in the opposite order.
    std::vector<BlockKind> blockKinds{BlockKind::CrossAttention, BlockKind::CrossAttention,
                                      BlockKind::CrossAttention, BlockKind::Residual};
    std::vector<std::int64_t> heads{8, 8, 8, 8};  ///< of each block's attention
    std::int64_t layersPerBlock = 2;              ///< on the way down; one more on the way up
    std::int64_t transformerLayers = 1;
    std::int64_t normGroups = 32;
    double normEps = 1e-5;
    std::int64_t crossAttentionDim = 768;
    TokenProjection tokenProjection = TokenProjection::Conv;

    /// Throws Failure: InvalidData for a value that makes no model, Unsupported for one of a model that isn't
    /// built here; both name the key, its value and what was needed.
    static UnetConfig from(const weights::ModelConfig& config);
    static UnetConfig stableDiffusion15() { return {}; }

    [[nodiscard]] std::size_t blocks() const { return blockChannels.size(); }
    [[nodiscard]] std::int64_t timeChannels() const { return 4 * blockChannels.front(); }
    /// Places where attention may follow a residual layer, in the order of a forward pass: what an attention
    /// call's layer counts.
    [[nodiscard]] int places() const {
        return static_cast<int>(blocks()) * static_cast<int>(2 * layersPerBlock + 1) + 1;
    }
};

/// config.json of a diffusers MotionAdapter; the defaults are those of the published v2's and v3's.
struct MotionConfig {
    /// Whether the innermost size has a motion module, too: v2 has.
    enum class MidBlock { None, Motion };

    std::vector<std::int64_t> blockChannels{320, 640, 1280, 1280};
    std::vector<std::int64_t> heads{8, 8, 8, 8};
    std::int64_t layersPerBlock = 2;
    std::int64_t transformerLayers = 1;
    std::int64_t maxFrames = 32;  ///< positions that there are
    MidBlock midBlock = MidBlock::Motion;

    /// Throws Failure as UnetConfig::from() does.
    static MotionConfig from(const weights::ModelConfig& config);
    /// Of the motion modules that a UNet was saved with (UNetMotionModel), whose config.json it is. Throws
    /// Failure likewise.
    static MotionConfig inside(const UnetConfig& unet, const weights::ModelConfig& config);
    /// Of one file, which comes without a configuration: what its shapes say, which are asked for by
    /// diffusers' names. Throws Failure(InvalidData) naming `where` and the tensor that is missing.
    static MotionConfig of(const weights::ShapeOf& shapeOf, const std::string& where);

    /// Throws Failure(InvalidData) naming `where` unless its modules fit into the model's blocks.
    void requireFits(const UnetConfig& unet, const std::string& where) const;
};

}  // namespace reelgrid::models::animatediff
