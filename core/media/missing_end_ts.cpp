#include <array>

#include "core/media/byte_walk.h"
#include "core/media/missing_end.h"

namespace reelgrid::media {
namespace {

struct TransportPackets {
    int bytes, before;  ///< of a packet, and before its mark
};
constexpr std::array<TransportPackets, 3> kTransportPackets{{{188, 0}, {192, 4}, {204, 0}}};
constexpr int kSyncByte = 0x47, kLongestPacket = 204;
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

}  // namespace

int gapsOfTransportStream(const std::filesystem::path& path, int identifier) {
    constexpr int kHead = 6, kIdentifier = 0x1FFF, kCounter = 0xF;
    constexpr int kHasPayload = 0x10, kHasFields = 0x20, kIsDiscontinuous = 0x80;
    const auto begin = beginOfPackets(path);
    if (!begin) return 0;
    ByteWalk file(path);
    file.skip(begin->at);
    int gaps = 0, counter = -1;  // of the packet before
    while (file.at() + begin->packet.bytes <= file.size()) {
        file.skip(begin->packet.before);
        const std::string head = file.text(kHead);
        file.skip(begin->packet.bytes - begin->packet.before - kHead);
        const auto at = [&](std::size_t byte) { return static_cast<unsigned char>(head[byte]); };
        if (((at(1) << 8 | at(2)) & kIdentifier) != identifier) continue;
        const bool hasPayload = (at(3) & kHasPayload) != 0;
        const bool isSaid = (at(3) & kHasFields) != 0 && at(4) > 0 && (at(5) & kIsDiscontinuous) != 0;
        const int now = at(3) & kCounter, next = hasPayload ? (counter + 1) & kCounter : counter;
        // A packet may come twice.
        if (counter >= 0 && !isSaid && now != next && now != counter) ++gaps;
        counter = now;
    }
    return gaps;
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
