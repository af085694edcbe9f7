#pragma once

#include <cstdint>
#include <vector>

#include "core/vae/tiling.h"
#include "core/weights/model_config.h"

namespace reelgrid::vae::image {

/// Whether the 1×1 convolutions between latents and encoder or decoder are there: SD 1.5 has them, SD 3.5
/// hasn't.
enum class QuantConvs { None, Both };

/// Throws Failure(Unsupported) where the config lists other blocks: further kinds have layers of attention,
/// whose weights would lie unread beside those of this one.
void requireBlocks(const weights::ModelConfig& config, const char* key, const char* name);

/// vae/config.json of a diffusers folder whose class is AutoencoderKL; the defaults are Stable Diffusion
/// 1.5's.
struct ImageVaeConfig {
    std::int64_t latentChannels = 4;
    std::vector<std::int64_t> blockChannels{128, 256, 512, 512};  ///< the encoder's order, one a size
    std::int64_t layersPerBlock = 2;  ///< of the encoder; the decoder has one more
    std::int64_t normGroups = 32;
    std::int64_t sampleSize = 512;  ///< the edge of diffusers' own tiles
    double scalingFactor = 0.18215;
    double shiftFactor = 0;
    QuantConvs quantConvs = QuantConvs::Both;

    /// Throws Failure: InvalidData for a value that makes no model, Unsupported for one of a model that isn't
    /// built here; both name the key, its value and what was needed.
    static ImageVaeConfig from(const weights::ModelConfig& config);
    /// What single files of Stable Diffusion 1.5 hold.
    static ImageVaeConfig stableDiffusion15() { return {}; }
    /// What single files of Stable Diffusion 3.5 hold.
    static ImageVaeConfig stableDiffusion35();

    /// Pixels along an edge of one latent pixel.
    [[nodiscard]] std::int64_t spatialFactor() const { return std::int64_t{1} << (blockChannels.size() - 1); }
    /// diffusers' own tiles: a quarter of the edge overlaps.
    [[nodiscard]] Tiling tiling() const { return Tiling::ofEdge(sampleSize, spatialFactor()); }
};

}  // namespace reelgrid::vae::image
