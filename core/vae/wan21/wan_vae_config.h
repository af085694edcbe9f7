#pragma once

#include <cstdint>
#include <vector>

#include "core/weights/model_config.h"

namespace reelgrid::vae::wan21 {

/// vae/config.json of a diffusers folder whose class is AutoencoderKLWan; the defaults are Wan 2.1's. Wan
/// 2.2's TI2V-5B has another one: levels with shortcuts around them, working on patches of pixels.
struct WanVaeConfig {
    std::int64_t baseDim = 96;
    std::int64_t decoderBaseDim = 96;  ///< baseDim where the file has null
    std::int64_t zDim = 16;
    std::vector<std::int64_t> dimMult{1, 2, 4, 4};
    std::int64_t numResBlocks = 2;
    std::vector<bool> temporalDownsample{false, true, true};  ///< the encoder's order, one a size change
    std::vector<double> latentsMean;                          ///< one a latent channel
    std::vector<double> latentsStd;
    bool isResidual = false;     ///< shortcuts around whole levels (resample_shortcut.h)
    std::int64_t patchSize = 1;  ///< pixels along an edge of what the first and last convolutions work on

    /// Throws Failure: InvalidData for a value that makes no model, Unsupported for one of a model that isn't
    /// built here (attention at other scales); both name the key, its value and what was needed.
    static WanVaeConfig from(const weights::ModelConfig& config);
    /// Wan 2.1's own, which its checkpoint without a config.json has.
    static WanVaeConfig official();
    /// That of Wan 2.2's TI2V-5B.
    static WanVaeConfig official22();

    /// Pixels along an edge of one latent pixel.
    [[nodiscard]] std::int64_t spatialFactor() const { return patchSize << (dimMult.size() - 1); }
    /// Channels of pictures as the first and last convolutions see them.
    [[nodiscard]] std::int64_t pictureChannels() const { return 3 * patchSize * patchSize; }
    /// Frames of one latent frame, the first excepted, which is one frame.
    [[nodiscard]] std::int64_t temporalFactor() const;
};

}  // namespace reelgrid::vae::wan21
