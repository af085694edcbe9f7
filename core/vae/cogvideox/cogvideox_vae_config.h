#pragma once

#include <cstdint>
#include <vector>

#include "core/vae/tiling.h"
#include "core/weights/model_config.h"

namespace reelgrid::vae::cogvideox {

/// vae/config.json of a diffusers folder whose class is AutoencoderKLCogVideoX; the defaults are
/// CogVideoX-2b's. 5b's differs in the scaling factor alone, 1.5's also in invertScaleLatents.
struct CogVideoXVaeConfig {
    std::int64_t zDim = 16;                                       ///< latent_channels
    std::vector<std::int64_t> blockChannels{128, 256, 256, 512};  ///< the encoder's order, one a size
    std::int64_t layersPerBlock = 3;  ///< of the encoder; the decoder has one more
    std::int64_t normGroups = 32;
    double normEps = 1e-6;        ///< of the encoder's residual blocks; all other norms have 1e-6
    std::int64_t timeLevels = 2;  ///< sizes between which time is halved: log2(temporal_compression_ratio)
    std::int64_t sampleHeight = 480, sampleWidth = 720;  ///< what tiles are half of
    double scalingFactor = 1.15258426;
    /// Of the picture given to image-to-video alone: its latents are divided by the scaling factor there.
    bool invertScaleLatents = false;

    /// Throws Failure: InvalidData for a value that makes no model, Unsupported for one of a model that isn't
    /// built here (quant_conv, another activation); both name the key, its value and what was needed.
    static CogVideoXVaeConfig from(const weights::ModelConfig& config);
    static CogVideoXVaeConfig official() { return {}; }

    /// Pixels along an edge of one latent pixel.
    [[nodiscard]] std::int64_t spatialFactor() const { return std::int64_t{1} << (blockChannels.size() - 1); }
    /// Frames of one latent frame, but for a first one that is one frame.
    [[nodiscard]] std::int64_t temporalFactor() const { return std::int64_t{1} << timeLevels; }
    /// Frames that a clip of that many latent frames is decoded to: an odd number of them begins with one
    /// frame.
    [[nodiscard]] std::int64_t frameCount(std::int64_t latentFrames) const {
        return latentFrames % 2 == 0 ? latentFrames * temporalFactor()
                                     : 1 + (latentFrames - 1) * temporalFactor();
    }

    /// Tiles of that height, as wide in proportion as the model's samples, of which a sixth of the rows and a
    /// fifth of the columns overlap (in whole latent pixels).
    [[nodiscard]] Tiling tilingOf(std::int64_t tileRows) const;
    /// diffusers' own choice: tiles of half the sample's height and width.
    [[nodiscard]] Tiling tiling() const { return tilingOf(sampleHeight / 2); }
};

}  // namespace reelgrid::vae::cogvideox
