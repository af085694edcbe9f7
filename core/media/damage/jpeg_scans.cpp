#include "core/media/damage/jpeg_scans.h"

#include <algorithm>
#include <bitset>
#include <cstddef>

namespace reelgrid::media {
namespace {

constexpr int kMark = 0xFF, kBegin = 0xD8, kEnd = 0xD9, kScan = 0xDA;

/// Segments that say which components a picture has (SOF: ISO/IEC 10918-1, table B.1).
bool isFrameHead(int type) {
    constexpr int kFirst = 0xC0, kLast = 0xCF, kTables = 0xC4, kExtension = 0xC8, kConditioning = 0xCC;
    return type >= kFirst && type <= kLast && type != kTables && type != kExtension && type != kConditioning;
}

/// Codes, and marks within them.
bool isOfScan(int type) {
    constexpr int kRestart = 0xD0, kRestarts = 8;
    return type == 0 || (type >= kRestart && type < kRestart + kRestarts);
}

/// The components of a picture, and those of which a scan came.
class Components {
  public:
    void takeHead(std::span<const std::uint8_t> segment) { m_needed = in(segment, 7, 3); }
    void takeScan(std::span<const std::uint8_t> segment) { m_seen |= in(segment, 2, 2); }
    [[nodiscard]] bool areThere() const { return m_needed.any() && m_needed == m_seen; }

  private:
    using Set = std::bitset<256>;

    /// A number of them and so many bytes for each, of which the first is its name.
    static Set in(std::span<const std::uint8_t> segment, std::size_t place, std::size_t each) {
        Set set;
        if (place >= segment.size()) return set;
        const std::size_t end = place + 1 + each * segment[place];
        for (std::size_t at = place + 1; at < std::min(end, segment.size()); at += each) set.set(segment[at]);
        return set;
    }

    Set m_needed, m_seen;
};

}  // namespace

bool haveJpegScans(std::span<const std::uint8_t> packet) {
    constexpr std::size_t kLength = 2;
    if (packet.size() < 2 || packet[0] != kMark || packet[1] != kBegin) return false;
    bool isOpen = false, hasPicture = false;
    Components components;
    std::size_t at = 0;
    while (true) {
        const auto mark = std::ranges::find(packet.subspan(std::min(at, packet.size())), kMark);
        at = packet.size() - std::size_t(packet.end() - mark);
        if (at + 1 >= packet.size()) return hasPicture && components.areThere();
        const int type = packet[at + 1];
        if (type == kMark) {  // filling
            ++at;
            continue;
        }
        at += 2;
        if (type == kBegin) {
            if (hasPicture && (isOpen || !components.areThere())) return false;
            components = {};
            isOpen = hasPicture = true;
        } else if (type == kEnd) {
            isOpen = false;
        } else if (!isOfScan(type) && at + kLength <= packet.size()) {
            const auto length = std::size_t(packet[at] << 8 | packet[at + 1]);
            const auto segment = packet.subspan(at, std::min(length, packet.size() - at));
            if (isFrameHead(type)) components.takeHead(segment);
            if (type == kScan) components.takeScan(segment);
            at += length;
        }
    }
}

}  // namespace reelgrid::media
