#include "core/vae/svd/svd_vae_config.h"

#include <cmath>
#include <string>

namespace reelgrid::vae::svd {
namespace {

// No published model comes near; beyond it a typing error would ask for terabytes.
constexpr std::int64_t kMostSvdChannels = 16384;
constexpr std::size_t kMostSvdLevels = 8;

}  // namespace

SvdVaeConfig SvdVaeConfig::from(const weights::ModelConfig& config) {
    config.requireClass("AutoencoderKLTemporalDecoder");
    image::requireBlocks(config, "down_block_types", "DownEncoderBlock2D");
    for (const char* key : {"in_channels", "out_channels"})
        if (config.positiveOr(key, 3) != 3) config.unsupported(key, "3");
    SvdVaeConfig c;
    image::ImageVaeConfig& image = c.image;
    image.latentChannels = config.positiveOr("latent_channels", 4, kMostSvdChannels);
    // What is absent is diffusers' default.
    image.layersPerBlock = config.positiveOr("layers_per_block", 1, 64);
    image.blockChannels = config.integers("block_out_channels");
    if (image.blockChannels.empty() || image.blockChannels.size() > kMostSvdLevels)
        config.invalid("block_out_channels", "a list of 1 to 8 whole numbers");
    for (const std::int64_t count : image.blockChannels)
        if (count < 1 || count > kMostSvdChannels || count % image.normGroups != 0)
            config.invalid("block_out_channels", "multiples of " + std::to_string(image.normGroups) +
                                                     " of at most " + std::to_string(kMostSvdChannels));
    image.sampleSize = config.positiveOr("sample_size", 32, kMostSvdChannels);
    image.scalingFactor = config.numberOr("scaling_factor", image.scalingFactor);
    if (!(std::isfinite(image.scalingFactor) && image.scalingFactor > 0))
        config.invalid("scaling_factor", "a number above 0");
    c.forceUpcast = config.flagOr("force_upcast", true);
    return c;
}

}  // namespace reelgrid::vae::svd
