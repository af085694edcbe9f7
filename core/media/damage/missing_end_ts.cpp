#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

struct TransportPackets {
    int bytes, before;  ///< of a packet, and before its mark
};
constexpr std::array<TransportPackets, 3> kTransportPackets{{{188, 0}, {192, 4}, {204, 0}}};
constexpr int kSyncByte = 0x47, kPacketBytes = 188, kLongestPacket = 204;
/// Of packets one behind the other: enough at the begin, and elsewhere, where a mark may be another byte.
constexpr int kPackets = 3, kMorePackets = 8;

/// How many packets follow each other from `at` on; at most so many are looked at.
int packetsFrom(const std::filesystem::path& path, std::int64_t at, TransportPackets packet, int most) {
    ByteWalk file(path);
    file.skip(at);
    for (int packets = 0; packets < most; ++packets) {
        file.skip(packet.before);
        if (file.byte() != kSyncByte) return packets;
        file.skip(packet.bytes - packet.before - 1);
    }
    return most;
}

struct TransportBegin {
    int at;
    TransportPackets packet;
};

/// Where the first whole packet of a transport stream begins: a recording may begin within one. Other bytes
/// may be those of a mark in many packets, in all of them none are.
std::optional<TransportBegin> beginOfPackets(const std::filesystem::path& path) {
    constexpr int kMostPackets = 4096;
    std::optional<TransportBegin> best;
    int most = 0;
    for (int at = 0; at < kLongestPacket; ++at)
        for (const TransportPackets packet : kTransportPackets) {
            const int found = at < packet.bytes ? packetsFrom(path, at, packet, kMostPackets) : 0;
            if (found <= most || found < (at == 0 ? kPackets : kMorePackets)) continue;
            most = found;
            best = TransportBegin{at, packet};
        }
    return best;
}

/// Follows the packets of one stream of video (ISO/IEC 13818-1, 2.4.3), and counts where parts of it are
/// missing or are passed over by demuxers.
class TransportGaps {
  public:
    /// A packet of 188 bytes.
    void add(std::string_view packet) {
        constexpr int kHasPayload = 0x10, kHasFields = 0x20, kIsDiscontinuous = 0x80, kCounter = 0xF;
        constexpr int kBeginsUnit = 0x40;
        constexpr std::size_t kHead = 4;
        const auto at = [&](std::size_t byte) { return static_cast<unsigned char>(packet[byte]); };
        const bool hasPayload = (at(3) & kHasPayload) != 0, hasFields = (at(3) & kHasFields) != 0;
        const bool isSaid = hasFields && at(4) > 0 && (at(5) & kIsDiscontinuous) != 0;
        const int now = at(3) & kCounter, next = hasPayload ? (m_counter + 1) & kCounter : m_counter;
        const bool isTwice = now == m_counter;  // it may be
        const bool follows = m_counter < 0 || isSaid || now == next;
        m_counter = now;
        if (!follows && !isTwice) ++m_gaps;
        if (!follows || isSaid) m_unitBytes = kUnknown;
        if (!hasPayload || (isTwice && !follows)) return;
        const std::size_t begin = std::min(packet.size(), kHead + (hasFields ? 1 + at(4) : 0));
        if ((at(1) & kBeginsUnit) != 0)
            beginUnit(packet.substr(begin));
        else if (m_unitBytes != kUnknown)
            m_unitBytes += std::int64_t(packet.size() - begin);
    }
    [[nodiscard]] int gaps() const { return m_gaps; }

  private:
    static constexpr std::int64_t kUnknown = -1;

    /// With the head of a packetized elementary stream's packet (2.4.3.6), which may say how long that is.
    void beginUnit(std::string_view payload) {
        constexpr std::size_t kHead = 6;
        if (m_unitBytes != kUnknown && m_saidBytes > 0 && m_unitBytes != m_saidBytes) ++m_gaps;
        m_unitBytes = kUnknown;
        if (payload.size() < kHead) return;
        if (!payload.starts_with(std::string_view("\0\0\1", 3))) {
            ++m_gaps;
            return;
        }
        const auto at = [&](std::size_t byte) { return static_cast<unsigned char>(payload[byte]); };
        const int said = at(4) << 8 | at(5);
        m_saidBytes = said == 0 ? 0 : std::int64_t(kHead) + said;
        m_unitBytes = std::int64_t(payload.size());
    }

    int m_gaps = 0, m_counter = -1;       // of the packet before
    std::int64_t m_unitBytes = kUnknown;  // that came of a unit whose begin was seen
    std::int64_t m_saidBytes = 0;         // that it says; 0: nothing
};

}  // namespace

int gapsOfTransportStream(const std::filesystem::path& path, int identifier) {
    constexpr int kIdentifier = 0x1FFF;
    const auto begin = beginOfPackets(path);
    if (!begin) return 0;
    ByteWalk file(path);
    file.skip(begin->at);
    TransportGaps stream;
    const int behind = begin->packet.bytes - begin->packet.before - kPacketBytes;
    while (file.at() + begin->packet.bytes <= file.size()) {
        file.skip(begin->packet.before);
        const std::string packet = file.text(kPacketBytes);
        file.skip(behind);
        const auto at = [&](std::size_t byte) { return static_cast<unsigned char>(packet[byte]); };
        if (((at(1) << 8 | at(2)) & kIdentifier) == identifier) stream.add(packet);
    }
    return stream.gaps();
}

std::optional<std::string> missingEndOfTransportStream(const std::filesystem::path& path) {
    const auto begin = beginOfPackets(path);
    ByteWalk file(path);
    if (!begin && file.size() < kMorePackets * kLongestPacket) return std::nullopt;
    if (!begin) return noPart(0, "packet of a transport stream");
    file.skip(begin->at);
    while (file.at() + begin->packet.bytes <= file.size()) {
        const std::int64_t place = file.at();
        file.skip(begin->packet.before);
        if (file.byte() != kSyncByte) return noPart(place, "packet of a transport stream");
        file.skip(begin->packet.bytes - begin->packet.before - 1);
    }
    if (file.at() == file.size()) return std::nullopt;
    file.skip(begin->packet.bytes);
    return bytesMissing(file);
}

}  // namespace reelgrid::media
