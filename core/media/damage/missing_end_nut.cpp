extern "C" {
#include <libavutil/crc.h>
}

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

// What packets of NUT begin with (nut.txt of FFmpeg's and MPlayer's authors, "startcodes").
constexpr std::string_view kMain("NM\x7A\x56\x1F\x5F\x04\xAD"), kStream("NS\x11\x40\x5B\xF2\xF9\xDB"),
    kInfo("NI\xAB\x68\xB5\x96\xBA\x78"), kSyncPoint("NK\xE4\xAD\xEE\xCA\x45\x69"),
    kIndex("NX\xDD\x67\x2F\x23\xE6\x4E");
constexpr int kCodeBytes = 8;

/// Seven bits a byte, the last byte without a mark; −1 for none. Those of 64 bits are cut to 63.
std::int64_t nutNumber(ByteWalk& file) {
    constexpr int kMostDigits = 10;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    std::uint64_t value = 0;
    for (int i = 0; i < kMostDigits; ++i) {
        const int next = file.byte();
        if (next < 0) return -1;
        value = value << 7 | std::uint64_t(next & 0x7F);
        if (next < 0x80) return std::int64_t(std::min(value, kMost));
    }
    return -1;
}

/// Whether bytes that end with their checksum have the right one: it makes the sum 0.
bool hasRightChecksum(std::string_view bytes) {
    return av_crc(av_crc_get_table(AV_CRC_32_IEEE), 0, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                  bytes.size()) == 0;
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
    file.skip(kCodeBytes);
    const std::int64_t bytes = packetBytes(file);
    return bytes >= 4 && bytes <= kLargest && hasRightChecksum(file.text(int(bytes)));
}

/// What a frame's first byte stands for.
struct FrameCode {
    std::uint64_t flags = 0;
    std::int64_t multiplier = 0, least = 0;  ///< of the frame's size
    std::int64_t reserved = 0;               ///< numbers of later versions
    std::int64_t begin = 0;                  ///< number of the bytes that are left out at its begin
};

/// How long frames are, as the main header tells (nut.txt, "main header" and "frame").
class FrameSizes {
  public:
    /// Of the one whose bytes come next; whether they mean something.
    bool read(ByteWalk& file) {
        constexpr std::int64_t kFirstMinor = 4, kMostTimeBases = 1024;
        const std::int64_t version = nutNumber(file);
        if (version >= kFirstMinor) nutNumber(file);
        nutNumber(file);  // streams
        nutNumber(file);  // how far sync points are from each other, at most
        std::int64_t timeBases = nutNumber(file);
        if (timeBases > kMostTimeBases) return false;
        for (; timeBases > 0; --timeBases) {
            nutNumber(file);
            nutNumber(file);
        }
        if (!readCodes(file)) return false;
        m_begins.assign(1, 0);
        for (std::int64_t count = nutNumber(file); count > 0 && m_begins.size() < kMostBegins; --count) {
            m_begins.push_back(nutNumber(file));
            file.skip(m_begins.back());
        }
        return !file.isPastEnd();
    }

    /// Goes behind the frame that begins here; whether there can be one.
    [[nodiscard]] bool skipFrame(ByteWalk& file) const {
        constexpr std::uint64_t kHasTime = 8, kHasStream = 16, kHasSize = 32, kHasChecksum = 64,
                                kHasReserved = 128, kHasBegin = 1024, kHasMatch = 2048, kHasFlags = 4096;
        constexpr std::int64_t kLongest = 4096;  // of frames whose begin may be left out
        const FrameCode& code = m_codes[std::size_t(file.byte() & 0xFF)];
        std::uint64_t flags = code.flags;
        if ((flags & kInvalid) != 0) return false;
        if ((flags & kHasFlags) != 0) flags ^= std::uint64_t(nutNumber(file));
        const auto numberIf = [&](std::uint64_t flag, std::int64_t otherwise) {
            return (flags & flag) != 0 ? nutNumber(file) : otherwise;
        };
        numberIf(kHasStream, 0);
        numberIf(kHasTime, 0);
        const std::int64_t factor = numberIf(kHasSize, 0);
        numberIf(kHasMatch, 0);
        const std::int64_t begin = numberIf(kHasBegin, code.begin);
        std::int64_t reserved = numberIf(kHasReserved, code.reserved);
        for (; reserved > 0 && !file.isPastEnd(); --reserved) nutNumber(file);
        if ((flags & kHasChecksum) != 0) file.skip(4);
        if (factor < 0 || factor > file.size() || begin < 0 || begin >= std::int64_t(m_begins.size()) ||
            (flags & kInvalid) != 0)
            return false;
        std::int64_t bytes = code.least + code.multiplier * factor;
        if (bytes <= kLongest) bytes -= m_begins[std::size_t(begin)];
        file.skip(bytes);
        return bytes >= 0;
    }

  private:
    static constexpr std::size_t kMostBegins = 128;
    static constexpr std::uint64_t kInvalid = 8192;  ///< flag of a code that no frame has

    bool readCodes(ByteWalk& file) {
        constexpr std::int64_t kMostSize = 16384;
        constexpr std::size_t kStartCodes = 'N';
        FrameCode code{.multiplier = 1};
        m_codes.fill({.flags = kInvalid});
        for (std::size_t next = 0; next < m_codes.size();) {
            code.flags = std::uint64_t(nutNumber(file));
            const std::int64_t fields = nutNumber(file);
            const auto field = [&](int number, std::int64_t otherwise) {
                return fields > number ? nutNumber(file) : otherwise;
            };
            field(0, 0);  // how far its time is from the one before
            code.multiplier = field(1, code.multiplier);
            field(2, 0);  // its stream
            code.least = field(3, 0);
            code.reserved = field(4, 0);
            std::int64_t count = field(5, code.multiplier - code.least);
            field(6, 0);
            code.begin = field(7, code.begin);
            for (std::int64_t i = 8; i < fields && !file.isPastEnd(); ++i) nutNumber(file);
            const bool isPossible = fields >= 0 && code.multiplier >= 0 && code.multiplier <= kMostSize &&
                                    code.least >= 0 && code.least <= kMostSize && count > 0;
            if (!isPossible || file.isPastEnd()) return false;
            for (; count > 0 && next < m_codes.size(); ++next) {
                if (next == kStartCodes) continue;
                m_codes[next] = code;
                ++code.least;
                --count;
            }
        }
        return true;
    }

    std::array<FrameCode, 256> m_codes{};
    std::vector<std::int64_t> m_begins;  ///< their bytes
};

}  // namespace

std::optional<std::string> missingEndOfNut(const std::filesystem::path& path) {
    constexpr std::string_view kBegin("nut/multimedia container\0", 25);
    ByteWalk file(path);
    file.skip(kBegin.size());
    FrameSizes frames;
    bool isMain = false;   // it was read
    bool isEnded = false;  // by an index
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        const std::string code = file.peek(kCodeBytes);
        if (code == kMain || code == kStream || code == kInfo || code == kIndex) {
            file.skip(kCodeBytes);
            const std::int64_t bytes = packetBytes(file), begin = file.at();
            if (code == kMain) isMain = frames.read(file);
            if (bytes < 0 || file.at() > begin + bytes) return noPart(place, "header of NUT");
            file.skip(begin + bytes - file.at());
            isEnded = code == kIndex;
            continue;
        }
        if (code == kSyncPoint) {
            if (!readSyncPoint(file)) return noPart(place, "sync point of NUT");
            continue;
        }
        if (kBegin.starts_with(code) && file.peek(int(kBegin.size())) == kBegin)
            return "another NUT follows at byte " + std::to_string(place);
        if (isEnded) return std::nullopt;  // whatever somebody appended
        if (!isMain || !frames.skipFrame(file)) return noPart(place, "frame of NUT");
    }
    if (file.isPastEnd()) return bytesMissing(file);
    return isEnded ? std::nullopt : unwrittenEnd(path);
}

}  // namespace reelgrid::media
