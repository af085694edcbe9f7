#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

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

constexpr int kCounter = 0xF;

int byteAt(std::string_view bytes, std::size_t place) {
    return static_cast<unsigned char>(bytes[place]);
}

/// Follows the packets of one stream of video (ISO/IEC 13818-1, 2.4.3), and counts where parts of it are
/// missing or are passed over by demuxers.
class TransportGaps {
  public:
    /// A packet of 188 bytes. `mayBegin`: the table of programs before it counts from the start.
    void add(std::string_view packet, bool mayBegin) {
        constexpr int kHasPayload = 0x10, kHasFields = 0x20, kIsDiscontinuous = 0x80;
        constexpr int kBeginsUnit = 0x40, kIsDamaged = 0x80;
        constexpr std::size_t kHead = 4;
        const bool hasPayload = (byteAt(packet, 3) & kHasPayload) != 0,
                   hasFields = (byteAt(packet, 3) & kHasFields) != 0;
        const bool beginsUnit = (byteAt(packet, 1) & kBeginsUnit) != 0;
        // Segments that were put one behind the other don't say so.
        const bool isSegment = mayBegin && beginsUnit && (byteAt(packet, 3) & kCounter) == 0;
        const bool isSaid =
            isSegment || (hasFields && byteAt(packet, 4) > 0 && (byteAt(packet, 5) & kIsDiscontinuous) != 0);
        const int now = byteAt(packet, 3) & kCounter,
                  next = hasPayload ? (m_counter + 1) & kCounter : m_counter;
        const bool isTwice = now == m_counter;  // it may be
        const bool follows = m_counter < 0 || isSaid || now == next;
        m_counter = now;
        if ((!follows && !isTwice) || (byteAt(packet, 1) & kIsDamaged) != 0) ++m_gaps;
        if (!follows || isSaid) m_unitBytes = kUnknown;
        if (hasFields && !areFieldsSound(packet, hasPayload)) ++m_gaps;
        if (!hasPayload || (isTwice && !follows)) return;
        const std::size_t begin =
            std::min(packet.size(), kHead + (hasFields ? std::size_t(1 + byteAt(packet, 4)) : 0));
        if (beginsUnit)
            beginUnit(packet.substr(begin));
        else if (m_unitBytes != kUnknown)
            m_unitBytes += std::int64_t(packet.size() - begin);
    }
    [[nodiscard]] int gaps() const { return m_gaps + (isUnitCut() ? 1 : 0); }

  private:
    static constexpr std::int64_t kUnknown = -1;

    /// Whether nothing but stuffing is from a place on: one byte again and again, 255 as the standard has it.
    static bool isStuffed(std::string_view bytes, std::size_t from) {
        const std::string_view rest = bytes.substr(std::min(from, bytes.size()));
        return rest.empty() || rest.find_first_not_of(rest.front()) == std::string_view::npos;
    }

    /// Whether the adaptation field fits and has what its flags say and then stuffing (2.4.3.4), where they
    /// say nothing of unknown length.
    static bool areFieldsSound(std::string_view packet, bool hasPayload) {
        constexpr std::size_t kFlags = 5, kMost = kPacketBytes - kFlags;
        constexpr int kLong = 3, kSplice = 4, kOriginalClock = 8, kClock = 16;
        constexpr std::size_t kClockBytes = 6;
        const auto length = std::size_t(byteAt(packet, 4));
        if (length > kMost - (hasPayload ? 1 : 0)) return false;
        if (length == 0 || (byteAt(packet, kFlags) & kLong) != 0) return true;
        std::size_t fields = 1;
        for (const auto& [flag, bytes] :
             {std::pair{kClock, kClockBytes}, {kOriginalClock, kClockBytes}, {kSplice, std::size_t{1}}})
            if ((byteAt(packet, kFlags) & flag) != 0) fields += bytes;
        return fields <= length && isStuffed(packet.substr(0, kFlags + length), kFlags + fields);
    }

    /// Likewise the head of a unit (2.4.3.6), which begins with its start code and length, flags and its own.
    static bool isHeadSound(std::string_view unit) {
        constexpr std::size_t kFlags = 7, kLength = 8, kHead = 9, kTime = 5;
        constexpr int kOthers = 0x3F, kHasTime = 0x80, kHasBothTimes = 0xC0;
        if (unit.size() < kHead) return true;
        const int times = byteAt(unit, kFlags) & kHasBothTimes;
        const std::size_t fields = times == kHasBothTimes ? 2 * kTime : times == kHasTime ? kTime : 0;
        if ((byteAt(unit, kFlags) & kOthers) != 0) return true;
        const auto length = std::size_t(byteAt(unit, kLength));
        return fields <= length && isStuffed(unit.substr(0, kHead + length), kHead + fields);
    }

    /// Whether less or more came of a unit than it said.
    [[nodiscard]] bool isUnitCut() const {
        return m_unitBytes != kUnknown && m_saidBytes > 0 && m_unitBytes != m_saidBytes;
    }

    /// With the head of a packetized elementary stream's packet (2.4.3.6), which may say how long that is.
    void beginUnit(std::string_view payload) {
        constexpr std::size_t kHead = 6;
        if (isUnitCut()) ++m_gaps;
        m_unitBytes = kUnknown;
        if (payload.size() < kHead) return;
        if (!payload.starts_with(std::string_view("\0\0\1", 3)) || !isHeadSound(payload)) {
            ++m_gaps;
            return;
        }
        const int said = byteAt(payload, 4) << 8 | byteAt(payload, 5);
        m_saidBytes = said == 0 ? 0 : std::int64_t(kHead) + said;
        m_unitBytes = std::int64_t(payload.size());
    }

    int m_gaps = 0;
    int m_counter = -1;                   // of the packet before
    std::int64_t m_unitBytes = kUnknown;  // that came of a unit whose begin was seen
    std::int64_t m_saidBytes = 0;         // that it says; 0: nothing
};

}  // namespace

int gapsOfTransportStream(const std::filesystem::path& path, int identifier) {
    constexpr int kIdentifier = 0x1FFF, kPrograms = 0;
    const auto begin = beginOfPackets(path);
    if (!begin) return 0;
    ByteWalk file(path);
    file.skip(begin->at);
    TransportGaps stream;
    bool mayBegin = false;
    const int behind = begin->packet.bytes - begin->packet.before - kPacketBytes;
    while (file.at() + begin->packet.bytes <= file.size()) {
        file.skip(begin->packet.before);
        const std::string packet = file.text(kPacketBytes);
        file.skip(behind);
        const int own = (byteAt(packet, 1) << 8 | byteAt(packet, 2)) & kIdentifier;
        if (own == kPrograms) mayBegin = (byteAt(packet, 3) & kCounter) == 0;
        if (own == identifier) stream.add(packet, mayBegin);
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
