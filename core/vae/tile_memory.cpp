#include "core/vae/tile_memory.h"

#include <algorithm>

namespace reelgrid::vae {

std::int64_t windowPixels(std::int64_t height, std::int64_t width, const std::optional<Tiling>& tiling) {
    if (!tiling) return height * width;
    return std::min(height, tiling->rows.tilePixels) * std::min(width, tiling->columns.tilePixels);
}

std::uint64_t bytesOfTiles(std::int64_t height, std::int64_t width, std::int64_t frames,
                           const std::optional<Tiling>& tiling) {
    constexpr std::int64_t kColors = 3, kFp32 = 4;
    if (!tiling || (height <= tiling->rows.tilePixels && width <= tiling->columns.tilePixels)) return 0;
    const std::int64_t ends =
        tiling->rows.overlapPixels() * 2 * width + tiling->columns.overlapPixels() * tiling->rows.tilePixels;
    return std::uint64_t((height * width + 2 * windowPixels(height, width, tiling) + ends) * frames *
                         kColors * kFp32);
}

}  // namespace reelgrid::vae
