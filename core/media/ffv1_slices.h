#pragma once

#include <cstdint>
#include <span>

namespace reelgrid::media {

/// Whether a packet of FFV1 (RFC 9043, 4.9) has slices whose checksums aren't those of their bytes. False of
/// packets without checksums. FFmpeg 5 to 7 tells it in its log alone, and shows what is around in the place
/// of a damaged slice.
bool hasDamagedFfv1Slice(std::span<const std::uint8_t> packet);

}  // namespace reelgrid::media
