#pragma once

#include <cstdint>
#include <optional>

#include "core/vae/tiling.h"

namespace reelgrid::vae {

/// Pixels of a picture that a pass works on at once: a tile's, or all.
std::int64_t windowPixels(std::int64_t height, std::int64_t width, const std::optional<Tiling>& tiling);

/// What decoding in tiles holds beside a pass, fp32: whole, frames leave as they are decoded; in tiles all of
/// them wait for the last tile: the clip, a tile before it is blended in, and how the row above and the tile
/// before end. 0 where the picture is one tile.
std::uint64_t bytesOfTiles(std::int64_t height, std::int64_t width, std::int64_t frames,
                           const std::optional<Tiling>& tiling);

}  // namespace reelgrid::vae
