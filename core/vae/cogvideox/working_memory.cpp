#include "core/vae/cogvideox/working_memory.h"

#include <algorithm>
#include <string>

#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/vae/tile_memory.h"
#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae::cogvideox {
namespace {

/// Activations of a batch at the fullest size that are alive at once on a GPU: a block's input, what it
/// becomes, the activated slice and what a convolution works in.
constexpr std::int64_t kLayersAtOnce = 4;
/// Colours of a pixel as the last convolution leaves them, padded to a vector, and twice as they are handed
/// on.
constexpr std::int64_t kColorsAtOnce = 8 + 2 * 3;
/// Frames that a convolution remembers.
constexpr std::int64_t kHistoryFrames = 2;
constexpr std::int64_t kLatentFramesOfFirstBatch = 3;
constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kColors = 3;

/// What a pass takes for one window of the picture, `blocks` residual blocks at each size.
std::uint64_t windowBytes(const CogVideoXVaeConfig& config, const ClipSize& clip, std::int64_t pixels,
                          std::int64_t blocks) {
    const auto& channels = config.blockChannels;
    const std::int64_t most = config.frameCount(kLatentFramesOfFirstBatch);
    // At full size the first block still has the channels of the size below.
    const std::int64_t widest = channels.size() > 1 ? std::max(channels[0], channels[1]) : channels[0];
    const std::int64_t frames = std::min(clip.frames, most);
    std::int64_t values = pixels * frames * widest * kLayersAtOnce;
    if (clip.device.is_cpu()) {
        // The first block's input, its shortcut and what it becomes, or a later one's with an activated copy;
        // and a layer of the size below, which the allocator keeps.
        const std::int64_t own = channels[0], below = channels[std::min<std::size_t>(2, channels.size() - 1)];
        values = pixels * frames * (std::max(widest + 2 * own, 3 * own) + kColorsAtOnce) +
                 pixels / 4 * frames * below;
    }
    for (std::size_t level = 0; level < channels.size(); ++level)
        values += (pixels >> (2 * level)) * channels[level] * 2 * blocks * kHistoryFrames;
    return std::uint64_t(values * clip.valueBytes);
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
    const std::int64_t pixels = clip.height * clip.width,
                       window = windowPixels(clip.height, clip.width, tiling);
    return std::uint64_t(pixels * clip.frames * kColors) +
           windowBytes(config, clip, window, config.layersPerBlock + 1) +
           bytesOfTiles(clip.height, clip.width, clip.frames, tiling);
}

std::uint64_t bytesToEncode(const CogVideoXVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling) {
    const std::int64_t pixels = clip.height * clip.width;
    return std::uint64_t(pixels * clip.frames * kColors * kFp32) +
           windowBytes(config, clip, windowPixels(clip.height, clip.width, tiling), config.layersPerBlock);
}

}  // namespace reelgrid::vae::cogvideox
