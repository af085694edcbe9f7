#include "core/media/ffv1_slices.h"

extern "C" {
#include <libavutil/crc.h>
}

namespace reelgrid::media {

bool hasDamagedFfv1Slice(std::span<const std::uint8_t> packet) {
    // Of a slice: its size in three bytes, its error status in one, a checksum that makes that of all of it
    // 0.
    constexpr std::size_t kFooter = 8;
    const AVCRC* table = av_crc_get_table(AV_CRC_32_IEEE);
    bool isDamaged = false;
    std::size_t end = packet.size();
    while (end >= kFooter) {
        const std::uint8_t* footer = packet.data() + end - kFooter;
        const std::size_t bytes = std::size_t(footer[0]) << 16 | std::size_t(footer[1]) << 8 | footer[2];
        if (bytes + kFooter > end) return false;
        end -= bytes + kFooter;
        isDamaged |= av_crc(table, 0, packet.data() + end, bytes + kFooter) != 0;
    }
    // Sizes that don't add up are those of a packet without checksums, whose footers are shorter.
    return isDamaged && end == 0;
}

}  // namespace reelgrid::media
