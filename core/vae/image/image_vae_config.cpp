#include "core/vae/image/image_vae_config.h"

#include <cmath>
#include <string>

namespace reelgrid::vae::image {
namespace {

// No published model comes near; beyond it a typing error would ask for terabytes.
constexpr std::int64_t kMostChannels = 16384;
constexpr std::size_t kMostLevels = 8;

void refuseOtherImageVaes(const weights::ModelConfig& config) {
    config.requireClass("AutoencoderKL");
    requireBlocks(config, "down_block_types", "DownEncoderBlock2D");
    requireBlocks(config, "up_block_types", "UpDecoderBlock2D");
    if (config.textOr("act_fn", "silu") != "silu") config.unsupported("act_fn", "\"silu\"");
    if (!config.flagOr("mid_block_add_attention", true))
        config.unsupported("mid_block_add_attention", "true");
    for (const char* key : {"latents_mean", "latents_std"})
        if (config.has(key)) config.unsupported(key, "null");
    for (const char* key : {"in_channels", "out_channels"})
        if (config.positiveOr(key, 3) != 3) config.unsupported(key, "3");
}

}  // namespace

void requireBlocks(const weights::ModelConfig& config, const char* key, const char* name) {
    if (!config.has(key)) return;
    for (const std::string& block : config.texts(key))
        if (block != name) config.unsupported(key, std::string("a list of ") + name);
}

ImageVaeConfig ImageVaeConfig::stableDiffusion35() {
    ImageVaeConfig config;
    config.latentChannels = 16;
    config.sampleSize = 1024;
    config.scalingFactor = 1.5305;
    config.shiftFactor = 0.0609;
    config.quantConvs = QuantConvs::None;
    return config;
}

ImageVaeConfig ImageVaeConfig::from(const weights::ModelConfig& config) {
    refuseOtherImageVaes(config);
    ImageVaeConfig c;
    c.latentChannels = config.positiveOr("latent_channels", c.latentChannels, kMostChannels);
    // What is absent is diffusers' default, not this struct's.
    c.layersPerBlock = config.positiveOr("layers_per_block", 1, 64);
    c.normGroups = config.positiveOr("norm_num_groups", c.normGroups, kMostChannels);
    c.blockChannels = config.integers("block_out_channels");
    if (c.blockChannels.empty() || c.blockChannels.size() > kMostLevels)
        config.invalid("block_out_channels", "a list of 1 to 8 whole numbers");
    for (const std::int64_t count : c.blockChannels)
        if (count < 1 || count > kMostChannels || count % c.normGroups != 0)
            config.invalid("block_out_channels", "multiples of norm_num_groups (" +
                                                     std::to_string(c.normGroups) + ") of at most " +
                                                     std::to_string(kMostChannels));
    c.sampleSize = config.positiveOr("sample_size", 32, kMostChannels);
    c.scalingFactor = config.numberOr("scaling_factor", c.scalingFactor);
    if (!(std::isfinite(c.scalingFactor) && c.scalingFactor > 0))
        config.invalid("scaling_factor", "a number above 0");
    c.shiftFactor = config.has("shift_factor") ? config.number("shift_factor") : 0;
    const bool before = config.flagOr("use_post_quant_conv", true);
    if (config.flagOr("use_quant_conv", true) != before)
        config.unsupported("use_quant_conv", "the same as use_post_quant_conv");
    c.quantConvs = before ? QuantConvs::Both : QuantConvs::None;
    return c;
}

}  // namespace reelgrid::vae::image
