#include "core/vae/tile_memory.h"

#include <algorithm>

namespace reelgrid::vae {
namespace {

constexpr std::int64_t kColorsOfClip = 3;

}  // namespace

ClipSize windowOf(const ClipSize& clip, const std::optional<Tiling>& tiling) {
    if (!tiling) return clip;
    return {clip.frames, std::min(clip.height, tiling->rows.tilePixels),
            std::min(clip.width, tiling->columns.tilePixels)};
}

std::uint64_t clipBytes(const ClipSize& clip) {
    return std::uint64_t(clip.height * clip.width * clip.frames * kColorsOfClip);
}

std::uint64_t bytesOfTiles(const ClipSize& clip, const std::optional<Tiling>& tiling) {
    if (!tiling || (clip.height <= tiling->rows.tilePixels && clip.width <= tiling->columns.tilePixels))
        return 0;
    const std::int64_t ends = tiling->rows.overlapPixels() * 2 * clip.width +
                              tiling->columns.overlapPixels() * tiling->rows.tilePixels;
    const ClipSize window = windowOf(clip, tiling);
    return std::uint64_t((clip.height * clip.width + 2 * window.height * window.width + ends) * clip.frames *
                         kColorsOfClip) *
           sizeof(float);
}

}  // namespace reelgrid::vae
