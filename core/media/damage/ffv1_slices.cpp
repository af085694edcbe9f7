#include "core/media/damage/ffv1_slices.h"

extern "C" {
#include <libavutil/crc.h>
}

namespace reelgrid::media {
namespace {

/// A checksum at the slice's end gives back what the sum over all of it began with: 0, in version 4 another
/// number.
bool isWhole(std::span<const std::uint8_t> slice) {
    constexpr std::uint32_t kOfVersion4 = 0x7A8C4079;
    const auto gives = [&](std::uint32_t start) {
        return av_crc(av_crc_get_table(AV_CRC_32_IEEE), start, slice.data(), slice.size()) == start;
    };
    return gives(0) || gives(kOfVersion4);
}

}  // namespace

Ffv1Checksums ffv1Checksums(std::span<const std::uint8_t> packet) {
    // Behind a slice: its size in three bytes, its error status in one, its checksum in four.
    constexpr std::size_t kFooter = 8;
    Ffv1Checksums found{.areThere = false, .areRight = true};
    std::size_t end = packet.size();
    while (end > 0) {
        if (end < kFooter) return {found.areThere, false};
        const std::uint8_t* footer = packet.data() + end - kFooter;
        const std::size_t bytes = std::size_t(footer[0]) << 16 | std::size_t(footer[1]) << 8 | footer[2];
        if (bytes + kFooter > end) return {found.areThere, false};
        end -= bytes + kFooter;
        const bool isRight = isWhole(packet.subspan(end, bytes + kFooter));
        found.areThere |= isRight;
        found.areRight &= isRight;
    }
    return found;
}

}  // namespace reelgrid::media
