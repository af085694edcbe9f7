extern "C" {
#include <libavutil/crc.h>
}

#include <bit>
#include <cstdint>
#include <string_view>

#include "core/media/byte_walk.h"
#include "core/media/missing_end.h"

namespace reelgrid::media {
namespace {

// What packets of NUT begin with (nut.txt of FFmpeg's and MPlayer's authors, "startcodes").
constexpr std::string_view kMain("NM\x7A\x56\x1F\x5F\x04\xAD"), kStream("NS\x11\x40\x5B\xF2\xF9\xDB"),
    kInfo("NI\xAB\x68\xB5\x96\xBA\x78"), kSyncPoint("NK\xE4\xAD\xEE\xCA\x45\x69"),
    kIndex("NX\xDD\x67\x2F\x23\xE6\x4E");
constexpr int kCodeBytes = 8;
constexpr const char* kPart = "sync point of NUT";

/// Seven bits a byte, the last byte without a mark; −1 for none.
std::int64_t nutNumber(ByteWalk& file) {
    constexpr int kMostDigits = 8;
    std::int64_t value = 0;
    for (int i = 0; i < kMostDigits; ++i) {
        const int next = file.byte();
        if (next < 0) return -1;
        value = value << 7 | (next & 0x7F);
        if (next < 0x80) return value;
    }
    return -1;
}

/// Bytes of the packet whose start code was read, behind what says how many; −1 for none.
std::int64_t packetBytes(ByteWalk& file) {
    constexpr std::int64_t kShort = 4096, kChecksum = 4;
    const std::int64_t bytes = nutNumber(file);
    if (bytes > kShort) file.skip(kChecksum);
    return bytes;
}

/// Whether one begins here and has the checksum of its bytes.
bool readSyncPoint(ByteWalk& file) {
    constexpr std::int64_t kLargest = 4096;
    if (file.text(kCodeBytes) != kSyncPoint) return false;
    const std::int64_t bytes = packetBytes(file);
    if (bytes < 4 || bytes > kLargest) return false;
    const std::string packet = file.text(int(bytes));  // the checksum at its end makes the sum 0
    return av_crc(av_crc_get_table(AV_CRC_32_IEEE), 0, reinterpret_cast<const std::uint8_t*>(packet.data()),
                  packet.size()) == 0;
}

/// The first of those that the index at the file's end lists, in units of 16 bytes, that isn't there.
std::optional<std::string> missingOfIndex(const std::filesystem::path& path) {
    constexpr std::int64_t kTail = 12, kUnit = 16;
    ByteWalk index(path), points(path);
    index.skip(index.size() - kTail);
    const std::int64_t bytes = index.number(8, std::endian::big);
    if (bytes < kTail || bytes > index.size()) return std::nullopt;
    index = ByteWalk(path);
    index.skip(index.size() - bytes);
    if (index.text(kCodeBytes) != kIndex || packetBytes(index) < 0) return std::nullopt;
    nutNumber(index);  // the clip's last time
    std::int64_t count = nutNumber(index), unit = 0;
    for (; count > 0 && !index.isPastEnd(); --count) {
        const std::int64_t further = nutNumber(index);
        if (further < 0 || further > points.size() / kUnit) return std::nullopt;
        unit += further;
        points.skip(unit * kUnit - points.at());
        const std::size_t within = points.peek(kUnit - 1 + kCodeBytes).find(kSyncPoint);
        points.skip(within == std::string::npos ? 0 : std::int64_t(within));
        if (!readSyncPoint(points)) return noPart(unit * kUnit, kPart);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> missingEndOfNut(const std::filesystem::path& path) {
    constexpr std::string_view kBegin("nut/multimedia container\0", 25);
    ByteWalk file(path);
    file.skip(kBegin.size());
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        const std::string code = file.peek(kCodeBytes);
        if (code == kMain || code == kStream || code == kInfo) {
            file.skip(kCodeBytes);
            const std::int64_t bytes = packetBytes(file);
            file.skip(bytes);
            continue;
        }
        if (code == kIndex) return std::nullopt;
        // Writers may leave all of them out.
        if (!readSyncPoint(file) && (code == kSyncPoint || file.findText(kSyncPoint)))
            return noPart(place, kPart);
        if (file.findText(kBegin))
            return "another NUT follows at byte " + std::to_string(file.at() - std::int64_t(kBegin.size()));
        auto missing = missingOfIndex(path);
        return missing ? missing : unwrittenEnd(path);
    }
    return bytesMissing(file);
}

}  // namespace reelgrid::media
