#include "core/vae/wan21/wan_vae_config.h"

#include <algorithm>
#include <string>

namespace reelgrid::vae::wan21 {

namespace {

// No published model comes near; beyond it a typing error would ask for terabytes.
constexpr std::int64_t kMaxChannels = 16384;
constexpr std::size_t kMaxLevels = 8;

void refuseOtherModels(const weights::ModelConfig& config) {
    config.requireClass("AutoencoderKLWan");
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

WanVaeConfig WanVaeConfig::official22() {
    WanVaeConfig result;
    result.baseDim = 160;
    result.decoderBaseDim = 256;
    result.zDim = 48;
    result.isResidual = true;
    result.patchSize = 2;
    result.latentsMean = {-0.2289, -0.0052, -0.1323, -0.2339, -0.2799, 0.0174,  0.1838,  0.1557,
                          -0.1382, 0.0542,  0.2813,  0.0891,  0.1570,  -0.0098, 0.0375,  -0.1825,
                          -0.2246, -0.1207, -0.0698, 0.5109,  0.2665,  -0.2108, -0.2158, 0.2502,
                          -0.2055, -0.0322, 0.1109,  0.1567,  -0.0729, 0.0899,  -0.2799, -0.1230,
                          -0.0313, -0.1649, 0.0117,  0.0723,  -0.2839, -0.2083, -0.0520, 0.3748,
                          0.0152,  0.1957,  0.1433,  -0.2944, 0.3573,  -0.0548, -0.1681, -0.0667};
    result.latentsStd = {0.4765, 1.0364, 0.4514, 1.1677, 0.5313, 0.4990, 0.4818, 0.5013, 0.8158, 1.0344,
                         0.5894, 1.0901, 0.6885, 0.6165, 0.8454, 0.4978, 0.5759, 0.3523, 0.7135, 0.6804,
                         0.5833, 1.4146, 0.8986, 0.5659, 0.7069, 0.5338, 0.4889, 0.4917, 0.4069, 0.4999,
                         0.6866, 0.4093, 0.5709, 0.6065, 0.6415, 0.4944, 0.5726, 1.2042, 0.5458, 1.6887,
                         0.3971, 1.0600, 0.3943, 0.5537, 0.5444, 0.4089, 0.7468, 0.7744};
    return result;
}

std::int64_t WanVaeConfig::temporalFactor() const {
    std::int64_t factor = 1;
    for (const bool halves : temporalDownsample) factor *= halves ? 2 : 1;
    return factor;
}

}  // namespace reelgrid::vae::wan21
