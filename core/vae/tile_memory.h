#pragma once

#include <cstdint>
#include <optional>

#include "core/vae/tiling.h"
#include "core/vae/video_vae.h"

namespace reelgrid::vae {

/// What a pass works on at once: the clip, or its largest tile.
ClipSize windowOf(const ClipSize& clip, const std::optional<Tiling>& tiling);

/// Of a clip's pixels, a byte a colour.
std::uint64_t clipBytes(const ClipSize& clip);

/// What decoding in tiles holds beside a pass, fp32: whole, frames leave as they are decoded; in tiles all of
/// them wait for the last tile: the clip, a tile before it is blended in, and how the row above and the tile
/// before end. 0 where the picture is one tile.
std::uint64_t bytesOfTiles(const ClipSize& clip, const std::optional<Tiling>& tiling);

}  // namespace reelgrid::vae
