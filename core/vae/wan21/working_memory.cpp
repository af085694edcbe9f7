#include "core/vae/wan21/working_memory.h"

#include <algorithm>

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

std::int64_t windowPixels(const ClipSize& clip, const std::optional<Tiling>& tiling) {
    if (!tiling) return clip.height * clip.width;
    return std::min(clip.height, tiling->rows.tilePixels) * std::min(clip.width, tiling->columns.tilePixels);
}

bool isCut(const ClipSize& clip, const std::optional<Tiling>& tiling) {
    return tiling && (clip.height > tiling->rows.tilePixels || clip.width > tiling->columns.tilePixels);
}

}  // namespace

std::uint64_t bytesToDecode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling) {
    const std::int64_t pixels = clip.height * clip.width, window = windowPixels(clip, tiling);
    std::uint64_t bytes = std::uint64_t(pixels * clip.frames * kColors) +
                          chunkBytes(config, config.decoderBaseDim * config.dimMult.front(), window);
    // Whole, frames leave as they are decoded; in tiles all of them wait for the last tile: the clip, a tile
    // before it is blended in, and how the row above and the tile before end.
    if (isCut(clip, tiling)) {
        const std::int64_t ends = tiling->rows.overlapPixels() * 2 * clip.width +
                                  tiling->columns.overlapPixels() * tiling->rows.tilePixels;
        bytes += std::uint64_t((pixels + 2 * window + ends) * clip.frames * kColors * kFp32);
    }
    return bytes;
}

std::uint64_t bytesToEncode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling) {
    const std::int64_t pixels = clip.height * clip.width;
    return std::uint64_t(pixels * clip.frames * kColors * kFp32) +
           chunkBytes(config, config.baseDim * config.dimMult.front(), windowPixels(clip, tiling));
}

}  // namespace reelgrid::vae::wan21
