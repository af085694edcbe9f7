#include "core/media/missing_end.h"

extern "C" {
#include <libavutil/crc.h>
}

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "core/media/byte_walk.h"
#include "core/media/gif_codes.h"

namespace reelgrid::media {
namespace {

/// The bytes of a colour table whose size is in a GIF's flags.
int colourTableBytes(int flags) {
    return (flags & 0x80) != 0 ? 3 << ((flags & 7) + 1) : 0;
}

void skipSubBlocks(ByteWalk& file) {
    while (true) {
        const int length = file.byte();
        if (length <= 0) return;
        file.skip(length);
    }
}

/// An EBML number of 1 to 8 bytes; −1 for a size that wasn't known when it was written, −2 for no number.
std::int64_t ebmlNumber(ByteWalk& file, bool keepMark) {
    const int first = file.byte();
    if (first <= 0) return -2;
    int length = 1;
    while ((first & (0x80 >> (length - 1))) == 0) ++length;
    std::int64_t value = keepMark ? first : first & (0xff >> length);
    const int valueBits = 0xff >> length;
    bool allOnes = (first & valueBits) == valueBits;
    for (int i = 1; i < length; ++i) {
        const int next = file.byte();
        if (next < 0) return -2;
        allOnes &= next == 0xff;
        value = value << 8 | next;
    }
    return allOnes && !keepMark ? -1 : value;
}

constexpr std::int64_t kEbml = 0x1A45DFA3;
/// What these hold is gone through, too.
constexpr std::int64_t kSegment = 0x18538067, kCluster = 0x1F43B675;
/// Elements of a segment and of a cluster: what may follow where the segment's own size isn't known.
constexpr std::array<std::int64_t, 17> kElements{
    kCluster, 0x1C53BB6B, 0x114D9B74, 0x1549A966, 0x1654AE6B, 0x1254C367, 0x1043A770, 0x1941A469, 0xEC,
    0xBF,     0xE7,       0xA3,       0xA0,       0xA7,       0xAB,       0x5854,     0xAF};

/// Whether the checksum that an element of `size` bytes may begin with is that of the bytes behind it (RFC
/// 8794, 11.3.1); the file stands behind the element then. Nothing, and the file where it was, if there is
/// none.
std::optional<bool> hasRightChecksum(ByteWalk& file, std::int64_t size) {
    constexpr std::int64_t kElement = 6, kBlock = 1 << 16;
    if (size < kElement || file.at() + size > file.size() || file.peek(2) != "\xBF\x84") return std::nullopt;
    file.skip(2);
    const std::int64_t stored = file.number(4, std::endian::little);
    std::uint32_t sum = UINT32_MAX;
    for (std::int64_t rest = size - kElement; rest > 0; rest -= std::min(rest, kBlock)) {
        const std::string bytes = file.text(int(std::min(rest, kBlock)));
        sum = av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), sum,
                     reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    return (sum ^ UINT32_MAX) == stored;
}

/// A line without its end, or its first `most` bytes. Where the file ends within it, it is past its end then.
std::string lineOf(ByteWalk& file, std::size_t most) {
    std::string line;
    while (line.size() < most) {
        const int byte = file.byte();
        if (byte < 0 || byte == '\n') break;
        line += char(byte);
    }
    return line;
}

int lastByteOf(const std::filesystem::path& path) {
    ByteWalk file(path);
    file.skip(file.size() - 1);
    return file.byte();
}

/// What is damaged in a GIF's picture, whose first byte has been read; the file stands behind it then.
std::optional<std::string> damageOfGifPicture(ByteWalk& file) {
    const std::int64_t place = file.at() - 1;
    file.skip(4);  // where it is
    const std::int64_t width = file.number(2, std::endian::little);
    const std::int64_t pixels = width * file.number(2, std::endian::little);
    file.skip(colourTableBytes(file.byte()));
    GifCodes codes(file.byte());
    for (int length = file.byte(); length > 0; length = file.byte())
        for (; length > 0; --length) codes.add(file.byte());
    if (codes.pixels() >= pixels || file.isPastEnd()) return std::nullopt;
    return "the picture at byte " + std::to_string(place) + " has " + std::to_string(codes.pixels()) +
           " of " + std::to_string(pixels) + " pixels" +
           (codes.areDamaged() ? ", and then a code that means nothing" : "");
}

/// Whether the control block of another picture follows that isn't of a GIF of its own.
bool hasGifBlocksBehind(ByteWalk& file) {
    bool isFirst = true, isOwn = false;
    const bool found = file.find(9, [&](std::string_view bytes) {
        isOwn = std::exchange(isFirst, false) && bytes.starts_with("GIF8");
        // Its label and length, its end, and what comes next: a picture or another block.
        return isOwn || (bytes.starts_with(std::string_view("\x21\xF9\4", 3)) && bytes[7] == 0 &&
                         (bytes[8] == 0x2C || bytes[8] == 0x21));
    });
    return found && !isOwn;
}

/// A checksum of Ogg (RFC 3533, 6) with one more byte, the first one highest.
std::uint32_t withByte(std::uint32_t sum, int byte) {
    const auto next = static_cast<std::uint8_t>(byte);
    return av_crc(av_crc_get_table(AV_CRC_32_IEEE), sum, &next, 1);
}

}  // namespace

std::optional<std::string> missingEndOfGif(const std::filesystem::path& path) {
    ByteWalk file(path);
    file.skip(10);  // "GIF89a" and the screen's size
    const int flags = file.byte();
    file.skip(2 + colourTableBytes(flags));
    while (!file.isPastEnd()) {
        const std::int64_t place = file.at();
        switch (file.byte()) {
            case 0x21:  // an extension
                file.byte();
                skipSubBlocks(file);
                break;
            case 0x2C:
                if (auto damage = damageOfGifPicture(file)) return damage;
                break;
            case 0x3B:
                if (hasGifBlocksBehind(file))
                    return "blocks follow its end mark at byte " + std::to_string(place);
                return std::nullopt;
            case -1:
                break;
            default:
                // Decoders end there: only padding before the end mark costs nothing.
                if (hasGifBlocksBehind(file) || lastByteOf(path) != 0x3B)
                    return noPart(place, "block of a GIF");
                return std::nullopt;
        }
    }
    return "the end mark of a GIF is missing";
}

std::optional<std::string> missingEndOfMatroska(const std::filesystem::path& path) {
    constexpr std::int64_t kFar = std::int64_t{1} << 50;  // more than any element has
    constexpr std::int64_t kMostId = 0xFFFFFFFF;          // of four bytes
    constexpr std::int64_t kShortIds = 0xFFFFFF;          // longer ones are those of a segment's parts
    ByteWalk file(path);
    std::int64_t end = file.size();  // of the segment
    bool isWithin = false, isBehind = false;
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        if (isWithin && place >= end) {
            isWithin = false;
            isBehind = true;
        }
        const std::int64_t id = ebmlNumber(file, true);
        // Another file may follow, and whatever somebody appends.
        if (isBehind && id != kEbml && id != kSegment) return std::nullopt;
        const std::int64_t size = ebmlNumber(file, false);
        if (file.isPastEnd()) return bytesMissing(file);
        const bool isKnown =
            id == kEbml || id == kSegment || std::ranges::find(kElements, id) != kElements.end();
        const bool isElement =
            id >= 0 && id <= kMostId && size >= -1 && size <= kFar && (isKnown || size >= 0);
        const bool isTooLong = isWithin && file.at() + size > end;
        if (!isElement || (isTooLong && end < file.size()) || (!isKnown && !isWithin))
            return noPart(place, "element of Matroska");
        if (id == kSegment) {
            isWithin = true;
            isBehind = false;
            end = size < 0 ? file.size() : file.at() + size;
            if (end > file.size()) return bytesMissing(file.size(), end);
        } else if (const auto right = id > kShortIds ? hasRightChecksum(file, size) : std::nullopt) {
            if (!*right)
                return "the element at byte " + std::to_string(place) +
                       " has another checksum than its bytes";
        } else if (id != kCluster) {
            file.skip(std::max<std::int64_t>(size, 0));
            if (file.isPastEnd()) return bytesMissing(file);
        }
    }
    return std::nullopt;
}

std::optional<std::string> missingEndOfOgg(const std::filesystem::path& path) {
    constexpr int kBeginOfStream = 2, kEndOfStream = 4, kPosition = 8, kChecksum = 4;
    constexpr std::size_t kMostStreams = 4096;
    ByteWalk file(path);
    bool isEnded = false;
    std::map<std::uint32_t, std::uint32_t> numbers;  // of each stream's page before
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        std::uint32_t sum = 0, stored = 0;
        const auto take = [&] {
            const int byte = file.byte();
            sum = withByte(sum, std::max(byte, 0));
            return byte;
        };
        const auto takeNumber = [&] {
            std::uint32_t number = 0;
            for (int i = 0; i < 4; ++i) number |= static_cast<std::uint32_t>(take() & 0xFF) << 8 * i;
            return number;
        };
        for (const char letter : std::string_view("OggS"))
            if (take() != letter) return file.isPastEnd() ? bytesMissing(file) : noPart(place, "page of Ogg");
        take();  // its version
        const int flags = take();
        isEnded |= (flags & kEndOfStream) != 0;
        for (int i = 0; i < kPosition; ++i) take();
        const std::uint32_t stream = takeNumber(), number = takeNumber();
        for (int i = 0; i < kChecksum; ++i) {
            stored = stored << 8 | static_cast<std::uint32_t>(file.byte() & 0xFF);
            sum = withByte(sum, 0);
        }
        std::int64_t bytes = 0;
        for (int segments = take(); segments > 0; --segments) bytes += std::max(take(), 0);
        for (; bytes > 0 && !file.isPastEnd(); --bytes) take();
        if (file.isPastEnd()) {
            file.skip(bytes);
            return bytesMissing(file);
        }
        if (sum != stored)
            return "the page at byte " + std::to_string(place) + " has another checksum than its bytes";
        if (numbers.size() >= kMostStreams) numbers.clear();
        const auto [before, isFirst] = numbers.try_emplace(stream, number);
        if (!isFirst && (flags & kBeginOfStream) == 0 && number != before->second + 1)
            return "the page at byte " + std::to_string(place) + " has number " + std::to_string(number) +
                   ", the one before has " + std::to_string(before->second);
        before->second = number;
    }
    return isEnded ? std::nullopt : std::optional<std::string>("the end mark of its streams is missing");
}

std::optional<std::string> missingEndOfIvf(const std::filesystem::path& path) {
    constexpr int kBeforeLength = 6, kBeforeRest = 8, kStampBytes = 8;
    ByteWalk file(path);
    file.skip(kBeforeLength);
    const std::int64_t header = file.number(2, std::endian::little);
    if (header < kBeforeRest) return std::nullopt;  // damaged, not cut
    file.skip(header - kBeforeRest);
    while (file.at() < file.size()) {
        const std::int64_t place = file.at(), bytes = file.number(4, std::endian::little);
        if (bytes == 0) return noPart(place, "frame of IVF");
        file.skip(bytes + kStampBytes);
    }
    return file.isPastEnd() ? std::optional(bytesMissing(file)) : std::nullopt;
}

std::optional<std::string> missingEndOfY4m(const std::filesystem::path& path, std::int64_t pictureBytes) {
    constexpr std::size_t kMostHeader = 512, kMostFrameHeader = 80;
    if (pictureBytes <= 0) return std::nullopt;
    ByteWalk file(path);
    lineOf(file, kMostHeader);
    while (file.at() < file.size()) {
        // "FRAME", and parameters where there are any.
        const bool isFrame = lineOf(file, kMostFrameHeader).starts_with("FRAME");
        if (!isFrame && !file.isPastEnd()) return std::nullopt;  // damaged, not cut
        file.skip(pictureBytes);
    }
    return file.isPastEnd() ? std::optional(bytesMissing(file)) : std::nullopt;
}

}  // namespace reelgrid::media
