#include "core/vae/cogvideox/working_memory.h"

#include <algorithm>
#include <string>

#include "core/vae/cogvideox/batch_walk.h"
#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/vae/cogvideox/frame_batches.h"
#include "core/vae/tile_memory.h"
#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae::cogvideox {
namespace {

constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kColors = 3;

/// Rows and columns of what a pass works on at once.
ClipSize windowOf(ClipSize clip, const std::optional<Tiling>& tiling) {
    if (!tiling) return clip;
    clip.height = std::min(clip.height, tiling->rows.tilePixels);
    clip.width = std::min(clip.width, tiling->columns.tilePixels);
    return clip;
}

/// The first batch and one of those that find what it left, if there are any.
template <class Walk>
void eachKindOfBatch(const std::vector<FrameBatch>& batches, const Walk& walk) {
    walk(batches.front().count);
    if (batches.size() > 1) walk(batches.back().count);
}

/// As Decoder::forward goes.
BatchWalk throughDecoder(const CogVideoXVaeConfig& config, const ClipSize& window) {
    BatchWalk walk(window.dtype, window.device);
    const std::int64_t edge = config.spatialFactor();
    const auto& channels = config.blockChannels;
    const auto levels = std::ssize(channels);
    const std::int64_t latents = (window.frames - 1) / config.temporalFactor() + 1;
    eachKindOfBatch(frameBatches(latents, kLatentFramesOfBatch), [&](std::int64_t count) {
        const Activations z{count, window.height / edge, window.width / edge, config.zDim};
        walk.beginBatch(z);
        Activations h = walk.conv(z, channels.back());
        for (int block = 0; block < 2; ++block) h = walk.residualBlock(h, channels.back());
        for (std::int64_t level = levels - 1; level >= 0; --level) {
            for (std::int64_t block = 0; block <= config.layersPerBlock; ++block)
                h = walk.residualBlock(h, channels[std::size_t(level)]);
            if (level > 0)
                h = walk.upsample(h, levels - 1 - level < config.timeLevels ? ResampleAxes::SpaceAndTime
                                                                            : ResampleAxes::Space);
        }
        const Activations y = walk.normedConv(h, kColors);
        // In fp32, and cut to the range of colours.
        walk.note({y.values() * std::int64_t(c10::elementSize(window.dtype)), 2 * y.values() * kFp32});
    });
    return walk;
}

/// As Encoder::forward goes.
BatchWalk throughEncoder(const CogVideoXVaeConfig& config, const ClipSize& window) {
    BatchWalk walk(window.dtype, window.device);
    const auto& channels = config.blockChannels;
    eachKindOfBatch(frameBatches(window.frames, kFramesOfBatch), [&](std::int64_t count) {
        walk.beginBatch({});
        Activations h = walk.conv({count, window.height, window.width, kColors}, channels.front());
        for (std::size_t level = 0; level < channels.size(); ++level) {
            for (std::int64_t block = 0; block < config.layersPerBlock; ++block)
                h = walk.residualBlock(h, channels[level]);
            if (level + 1 < channels.size())
                h = walk.downsample(h, std::int64_t(level) < config.timeLevels ? ResampleAxes::SpaceAndTime
                                                                               : ResampleAxes::Space);
        }
        for (int block = 0; block < 2; ++block) h = walk.residualBlock(h, channels.back());
        walk.normedConv(h, 2 * config.zDim);
    });
    return walk;
}

}  // namespace

std::uint64_t weightBytes(const CogVideoXVaeConfig& config, at::ScalarType dtype, at::Device device,
                          bool encodes) {
    weights::RecordingWeights counted;
    const CogVideoXVae vae(weights::WeightScope(counted, at::kFloat), config,
                           {.parts = encodes ? CogVideoXVaeParts::Both : CogVideoXVaeParts::Decoder});
    const bool isTransformed = device.is_cpu() && dtype == at::kFloat && kernels::vaeConvLanes() > 0;
    std::uint64_t values = 0;
    for (const auto& [name, shape] : counted.requests()) {
        // Downsamplers, of stride 2, stay as they are.
        const bool is3x3 =
            shape.size() >= 4 && shape.back() == 3 && name.find("downsampler") == std::string::npos;
        if (isTransformed && is3x3)
            values += kernels::vaeConvWeightFloats(int(shape[1]), int(shape[0]),
                                                   shape.size() == 5 ? int(shape[2]) : 1);
        else
            values += std::uint64_t(c10::multiply_integers(shape));
    }
    return values * c10::elementSize(dtype);
}

std::uint64_t bytesToDecode(const CogVideoXVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling) {
    return std::uint64_t(clip.height * clip.width * clip.frames * kColors) +
           throughDecoder(config, windowOf(clip, tiling)).peak() +
           bytesOfTiles(clip.height, clip.width, clip.frames, tiling);
}

std::uint64_t bytesToEncode(const CogVideoXVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling) {
    return std::uint64_t(clip.height * clip.width * clip.frames * kColors * kFp32) +
           throughEncoder(config, windowOf(clip, tiling)).peak();
}

std::uint64_t layerBytesToDecode(const CogVideoXVaeConfig& config, const ClipSize& clip) {
    return throughDecoder(config, clip).livePeak();
}

std::uint64_t layerBytesToEncode(const CogVideoXVaeConfig& config, const ClipSize& clip) {
    return throughEncoder(config, clip).livePeak();
}

}  // namespace reelgrid::vae::cogvideox
