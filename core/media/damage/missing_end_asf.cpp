#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <string_view>

#include "core/media/damage/asf_payloads.h"
#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

constexpr std::int64_t kObjectBegin = 4, kObjectIdentifier = 16, kObjectHead = kObjectIdentifier + 8;

/// Of the data packets, as the header says it; 0 where they may differ, can't have so
/// many, or it says nothing.
std::int64_t dataPacketBytes(const std::filesystem::path& path) {
    constexpr std::int64_t kHeaderHead = kObjectHead + 6, kProperties = 0x8CABDCA1, kBeforeSizes = 68;
    constexpr std::int64_t kMostBytes = 1 << 20;
    ByteWalk file(path);
    file.skip(kHeaderHead);
    while (file.at() < file.size()) {
        const std::int64_t object = file.number(kObjectBegin, std::endian::little);
        file.skip(kObjectIdentifier - kObjectBegin);
        const std::int64_t size = file.number(8, std::endian::little);
        if (object == kProperties) {
            file.skip(kBeforeSizes);
            const std::int64_t least = file.number(4, std::endian::little);
            const std::int64_t most = file.number(4, std::endian::little);
            const bool isPossible = least > kObjectBegin && least <= kMostBytes && !file.isPastEnd();
            return isPossible && least == most ? least : 0;
        }
        if (size < kObjectHead) return 0;
        file.skip(size - kObjectHead);
    }
    return 0;
}

/// The numbers of the streams that the header has properties of; none where it is too large to look.
std::set<int> streamNumbers(const std::filesystem::path& path) {
    constexpr std::string_view kStream("\x91\x07\xDC\xB7\xB7\xA9\xCF\x11\x8E\xE6\x00\xC0\x0C\x20\x53\x65",
                                       16);
    constexpr std::int64_t kMostBytes = 1 << 20;
    constexpr std::size_t kBeforeNumber = 72;
    ByteWalk file(path);
    file.skip(kObjectIdentifier);
    const std::int64_t bytes = file.number(8, std::endian::little) - kObjectHead;
    if (bytes < 0 || bytes > kMostBytes) return {};
    const std::string header = file.text(int(bytes));
    std::set<int> numbers;
    for (std::size_t at = 0; (at = header.find(kStream, at)) != std::string::npos; ++at)
        if (at + kBeforeNumber < header.size()) numbers.insert(header[at + kBeforeNumber] & 0x7F);
    return numbers;
}

std::string zerosAt(std::int64_t place) {
    return "it has zeros at byte " + std::to_string(place) + ", where a packet was needed";
}

std::string doesNotFollow(std::int64_t place) {
    return "the packet at byte " + std::to_string(place) + " doesn't go on where the one before ends";
}

/// What is damaged in `bytes` of data packets, behind which the file stands then, or at its end.
std::optional<std::string> damageOfPackets(ByteWalk& file, std::int64_t bytes, std::int64_t packetBytes,
                                           const std::set<int>& streams) {
    const std::int64_t end = file.at() + bytes;
    AsfPayloads payloads(streams);
    while (packetBytes > 0 && file.at() + packetBytes <= std::min(end, file.size())) {
        const std::int64_t place = file.at();
        const std::string packet = file.text(int(packetBytes));
        // Its second byte says at least how long its replicated data are.
        if (packet.starts_with(std::string(kObjectBegin, '\0'))) return zerosAt(place);
        if (!payloads.follows(packet)) return doesNotFollow(place);
    }
    file.skip(end - file.at());
    if (payloads.isComplete() || file.isPastEnd()) return std::nullopt;
    return "its last packet doesn't end what it has begun";
}

}  // namespace

std::optional<std::string> missingEndOfAsf(const std::filesystem::path& path) {
    // How the identifiers of header, data and indices begin. The packets that a broadcast has behind its
    // data's head begin with none of them, nor as what ends it does ("$E", of Microsoft's HTTP streaming).
    constexpr std::int64_t kData = 0x75B22636, kDataHead = 50, kEndMark = 0x4524;
    constexpr std::array<std::int64_t, 6> kObjects{0x75B22630, kData,      0x33000890,
                                                   0xD6E229D3, 0xFEB103F8, 0x3CB73FD0};
    ByteWalk file(path);
    const std::int64_t bytesOfHeader = dataPacketBytes(path);
    std::int64_t packetBytes = 0;
    const std::set<int> streams = streamNumbers(path);
    AsfPayloads broadcast(streams);
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        const std::string begin = file.peek(int(kObjectBegin));
        const std::int64_t object = file.number(kObjectBegin, std::endian::little);
        if (std::ranges::find(kObjects, object) == kObjects.end()) {
            const bool isEnd = packetBytes == 0 || (object & 0xFFFF) == kEndMark;
            if (isEnd && !file.isPastEnd()) return std::nullopt;
            if (object == 0) return zerosAt(place);
            const std::string rest = file.text(int(packetBytes - kObjectBegin));
            if (!file.isPastEnd() && !broadcast.follows(begin + rest)) return doesNotFollow(place);
            continue;
        }
        file.skip(kObjectIdentifier - kObjectBegin);
        const std::int64_t size = file.number(8, std::endian::little);
        const bool isOpen = object == kData && size <= kDataHead;
        if (object == kData) packetBytes = bytesOfHeader;
        if (!isOpen && !file.isPastEnd() && size < kObjectHead) return std::nullopt;
        if (object != kData || size <= kDataHead) {
            file.skip((isOpen ? kDataHead : size) - kObjectHead);
            continue;
        }
        file.skip(kDataHead - kObjectHead);
        if (auto damage = damageOfPackets(file, size - kDataHead, packetBytes, streams)) return damage;
        packetBytes = 0;
    }
    return file.isPastEnd() ? std::optional(bytesMissing(file)) : std::nullopt;
}

}  // namespace reelgrid::media
