#include "core/vae/cogvideox/cogvideox_vae_config.h"

#include <algorithm>
#include <string>

namespace reelgrid::vae::cogvideox {

namespace {

// No published model comes near; beyond it a typing error would ask for terabytes.
constexpr std::int64_t kMaxChannels = 16384;
constexpr std::size_t kMaxLevels = 8;
constexpr std::int64_t kMaxSample = 16384;

void refuseOtherModels(const weights::ModelConfig& config) {
    config.requireClass("AutoencoderKLCogVideoX");
    if (config.textOr("act_fn", "silu") != "silu") config.unsupported("act_fn", "\"silu\"");
    for (const char* key : {"use_quant_conv", "use_post_quant_conv"})
        if (config.flagOr(key, false)) config.unsupported(key, "false");
    for (const char* key : {"in_channels", "out_channels"})
        if (config.positiveOr(key, 3) != 3) config.unsupported(key, "3");
}

std::vector<std::int64_t> readChannels(const weights::ModelConfig& config, std::int64_t groups) {
    constexpr const char* kKey = "block_out_channels";
    if (!config.has(kKey)) return CogVideoXVaeConfig{}.blockChannels;
    std::vector<std::int64_t> channels = config.integers(kKey);
    if (channels.empty() || channels.size() > kMaxLevels)
        config.invalid(kKey, "a list of 1 to 8 whole numbers");
    for (const std::int64_t count : channels)
        if (count < 1 || count > kMaxChannels || count % groups != 0)
            config.invalid(kKey, "multiples of norm_num_groups (" + std::to_string(groups) + ") of at most " +
                                     std::to_string(kMaxChannels));
    return channels;
}

/// How many sizes halve time; there is one size change fewer than there are sizes.
std::int64_t readTimeLevels(const weights::ModelConfig& config, std::size_t sizes) {
    constexpr const char* kKey = "temporal_compression_ratio";
    const double ratio = config.numberOr(kKey, 4);
    for (std::size_t level = 0; level < sizes; ++level)
        if (ratio == double(std::int64_t{1} << level)) return std::int64_t(level);
    config.invalid(kKey, "a power of two of at most " + std::to_string(std::int64_t{1} << (sizes - 1)) +
                             " (a size change halves time once)");
}

/// A tile of `pixels` and its stride: what `overlap` of it leaves, both in whole latent pixels.
TileAxis axisOf(std::int64_t pixels, double overlap, std::int64_t factor) {
    const std::int64_t tile = std::max<std::int64_t>(1, pixels / factor);
    const std::int64_t stride = std::max<std::int64_t>(1, std::int64_t(double(tile) * (1 - overlap)));
    return {tile * factor, stride * factor};
}

}  // namespace

CogVideoXVaeConfig CogVideoXVaeConfig::from(const weights::ModelConfig& config) {
    refuseOtherModels(config);
    CogVideoXVaeConfig result;
    result.zDim = config.positiveOr("latent_channels", result.zDim, kMaxChannels);
    result.layersPerBlock = config.positiveOr("layers_per_block", result.layersPerBlock, 64);
    result.normGroups = config.positiveOr("norm_num_groups", result.normGroups, kMaxChannels);
    result.normEps = config.numberOr("norm_eps", result.normEps);
    if (!(result.normEps > 0)) config.invalid("norm_eps", "a number above 0");
    result.blockChannels = readChannels(config, result.normGroups);
    result.timeLevels = readTimeLevels(config, result.blockChannels.size());
    result.sampleHeight = config.positiveOr("sample_height", result.sampleHeight, kMaxSample);
    result.sampleWidth = config.positiveOr("sample_width", result.sampleWidth, kMaxSample);
    result.scalingFactor = config.numberOr("scaling_factor", result.scalingFactor);
    if (!(result.scalingFactor > 0)) config.invalid("scaling_factor", "a number above 0");
    result.invertScaleLatents = config.flagOr("invert_scale_latents", false);
    return result;
}

Tiling CogVideoXVaeConfig::tilingOf(std::int64_t tileRows) const {
    constexpr double kRowOverlap = 1.0 / 6, kColumnOverlap = 1.0 / 5;
    return {.rows = axisOf(tileRows, kRowOverlap, spatialFactor()),
            .columns = axisOf(tileRows * sampleWidth / sampleHeight, kColumnOverlap, spatialFactor())};
}

}  // namespace reelgrid::vae::cogvideox
