#include "core/media/jpeg_scans.h"

#include <algorithm>
#include <cstddef>

namespace reelgrid::media {

bool haveJpegScans(std::span<const std::uint8_t> packet) {
    constexpr int kMark = 0xFF, kBegin = 0xD8, kEnd = 0xD9, kScan = 0xDA, kRestart = 0xD0;
    constexpr int kRestarts = 8;
    constexpr std::size_t kLength = 2;
    bool hasPicture = false, hasScan = false;
    bool isOpen = false;  // the picture, so far
    std::size_t at = 0;
    while (true) {
        const auto mark = std::ranges::find(packet.subspan(std::min(at, packet.size())), kMark);
        at = packet.size() - std::size_t(packet.end() - mark);
        if (at + 1 >= packet.size()) return hasPicture && hasScan;
        const int type = packet[at + 1];
        if (type == kMark) {  // filling
            ++at;
            continue;
        }
        at += 2;
        const bool isOfScan = type == 0 || (type >= kRestart && type < kRestart + kRestarts);
        if (type == kBegin || type == kEnd) {
            if (hasPicture && !hasScan) return false;
            if (type == kBegin && isOpen) return false;
            if (type == kBegin) hasScan = false;
            isOpen = type == kBegin;
            hasPicture |= isOpen;
        } else if (!isOfScan && at + kLength <= packet.size()) {
            hasScan |= type == kScan;
            at += std::size_t(packet[at] << 8 | packet[at + 1]);
        }
    }
}

}  // namespace reelgrid::media
