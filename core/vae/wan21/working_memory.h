#pragma once

#include <cstdint>
#include <optional>

#include "core/vae/tiling.h"
#include "core/vae/wan21/wan_vae_config.h"

namespace reelgrid::vae::wan21 {

/// A clip of pixels.
struct ClipSize {
    std::int64_t frames = 0, height = 0, width = 0;
};

/// About how many bytes a pass of the clip takes beside the weights, at its fullest moment: some layers of
/// one chunk at full size, and the clip. In tiles: those of one tile, and the clip in fp32.
std::uint64_t bytesToDecode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling = std::nullopt);
std::uint64_t bytesToEncode(const WanVaeConfig& config, const ClipSize& clip,
                            const std::optional<Tiling>& tiling = std::nullopt);

}  // namespace reelgrid::vae::wan21
