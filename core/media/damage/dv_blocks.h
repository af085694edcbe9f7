#pragma once

#include <cstdint>
#include <span>

namespace reelgrid::media {

/// Whether a frame of DV is made of blocks that are of the kinds that belong there (IEC 61834-2, SMPTE 314M):
/// each says its own. FFmpeg's decoder takes what it finds for video.
bool hasAllDvBlocks(std::span<const std::uint8_t> frame);

}  // namespace reelgrid::media
