#pragma once

#include <cstdint>
#include <span>

namespace reelgrid::media {

/// What the checksums behind the slices of a packet of FFV1 tell (RFC 9043, 4.9).
struct Ffv1Checksums {
    bool areThere = false;  ///< one of them is that of its slice; streams may have none
    bool areRight = false;  ///< the packet is slices with right checksums, and nothing else
};

/// FFmpeg 5 to 7 tells damaged slices in its log alone, and shows what is around in their place.
Ffv1Checksums ffv1Checksums(std::span<const std::uint8_t> packet);

}  // namespace reelgrid::media
