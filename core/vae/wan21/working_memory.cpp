#include "core/vae/wan21/working_memory.h"

#include "core/vae/tile_memory.h"

namespace reelgrid::vae::wan21 {
namespace {

// Activations of full size that are alive at once, with what a convolution works in.
constexpr std::int64_t kLayersAtOnce = 6;
constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kColors = 3;

/// What a pass of `channels` at full size takes for one window of the picture: a chunk of activations.
std::uint64_t chunkBytes(const WanVaeConfig& config, std::int64_t channels, std::int64_t pixels) {
    const std::int64_t patches = pixels / (config.patchSize * config.patchSize);
    return std::uint64_t(patches * config.temporalFactor() * channels * kFp32 * kLayersAtOnce);
}

}  // namespace

std::uint64_t bytesToDecode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling) {
    const std::int64_t pixels = clip.height * clip.width,
                       window = windowPixels(clip.height, clip.width, tiling);
    return std::uint64_t(pixels * clip.frames * kColors) +
           chunkBytes(config, config.decoderBaseDim * config.dimMult.front(), window) +
           bytesOfTiles(clip.height, clip.width, clip.frames, tiling);
}

std::uint64_t bytesToEncode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling) {
    const std::int64_t pixels = clip.height * clip.width;
    return std::uint64_t(pixels * clip.frames * kColors * kFp32) +
           chunkBytes(config, config.baseDim * config.dimMult.front(),
                      windowPixels(clip.height, clip.width, tiling));
}

}  // namespace reelgrid::vae::wan21
