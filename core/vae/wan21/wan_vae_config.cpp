#include "core/vae/wan21/wan_vae_config.h"

#include <algorithm>
#include <string>

namespace reelgrid::vae::wan21 {

namespace {

// No published model comes near; beyond it a typing error would ask for terabytes.
constexpr std::int64_t kMaxChannels = 16384;
constexpr std::size_t kMaxLevels = 8;

void refuseOtherModels(const weights::ModelConfig& config) {
    if (config.textOr("_class_name", "AutoencoderKLWan") != "AutoencoderKLWan") {
        config.unsupported("_class_name", "\"AutoencoderKLWan\"");
    }
    if (config.has("attn_scales") && !config.numbers("attn_scales").empty()) {
        config.unsupported("attn_scales", "[]");
    }
}

void readPatches(const weights::ModelConfig& config, WanVaeConfig& into) {
    into.isResidual = config.flagOr("is_residual", false);
    into.patchSize = config.positiveOr("patch_size", 1, 16);
    for (const char* key : {"in_channels", "out_channels"}) {
        if (config.positiveOr(key, 3) != into.pictureChannels()) {
            config.unsupported(key, std::to_string(into.pictureChannels()) + " (3 · patch_size²)");
        }
    }
}

void readLevels(const weights::ModelConfig& config, WanVaeConfig& into) {
    if (config.has("dim_mult")) into.dimMult = config.integers("dim_mult");
    const std::size_t levels = into.dimMult.size();
    if (levels < 1 || levels > kMaxLevels) config.invalid("dim_mult", "a list of 1 to 8 whole numbers");
    for (std::size_t level = 0; level < levels; ++level) {
        const std::int64_t mult = into.dimMult[level];
        if (mult < 1 || mult > kMaxChannels / std::max(into.baseDim, into.decoderBaseDim)) {
            config.invalid("dim_mult",
                           "at least 1 and at most " + std::to_string(kMaxChannels) + " channels a level");
        }
        // Each doubling of the size halves the decoder's channels, rounding down.
        if (level > 0 && into.decoderBaseDim * mult < 2) {
            config.invalid("dim_mult", "at least 2 channels at every level but the first");
        }
    }
    if (config.has("temperal_downsample")) into.temporalDownsample = config.flags("temperal_downsample");
    if (into.temporalDownsample.size() != levels - 1) {
        config.invalid("temperal_downsample", "a list one shorter than dim_mult");
    }
}

std::vector<double> perLatentChannel(const weights::ModelConfig& config, const char* key, std::int64_t zDim) {
    std::vector<double> values = config.numbers(key);
    if (values.size() != std::size_t(zDim)) config.invalid(key, std::to_string(zDim) + " numbers (z_dim)");
    return values;
}

}  // namespace

WanVaeConfig WanVaeConfig::from(const weights::ModelConfig& config) {
    refuseOtherModels(config);
    WanVaeConfig result;
    result.baseDim = config.positiveOr("base_dim", result.baseDim, kMaxChannels);
    result.decoderBaseDim = config.positiveOr("decoder_base_dim", result.baseDim, kMaxChannels);
    result.zDim = config.positiveOr("z_dim", result.zDim, kMaxChannels);
    result.numResBlocks = config.positiveOr("num_res_blocks", result.numResBlocks, 64);
    readLevels(config, result);
    readPatches(config, result);
    result.latentsMean = perLatentChannel(config, "latents_mean", result.zDim);
    result.latentsStd = perLatentChannel(config, "latents_std", result.zDim);
    for (const double deviation : result.latentsStd) {
        if (!(deviation > 0)) config.invalid("latents_std", "numbers above 0");
    }
    return result;
}

WanVaeConfig WanVaeConfig::official() {
    WanVaeConfig result;
    result.latentsMean = {-0.7571, -0.7089, -0.9113, 0.1075,  -0.1745, 0.9653,  -0.1517, 1.5508,
                          0.4134,  -0.0715, 0.5517,  -0.3632, -0.1922, -0.9497, 0.2503,  -0.2921};
    result.latentsStd = {2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743,
                         3.2687, 2.1526, 2.8652, 1.5579, 1.6382, 1.1253, 2.8251, 1.9160};
    return result;
}

std::int64_t WanVaeConfig::temporalFactor() const {
    std::int64_t factor = 1;
    for (const bool halves : temporalDownsample) factor *= halves ? 2 : 1;
    return factor;
}

}  // namespace reelgrid::vae::wan21
