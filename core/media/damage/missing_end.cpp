#include "core/media/damage/missing_end.h"

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

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/gif_codes.h"

namespace reelgrid::media {
namespace {

/// The bytes of a colour table whose size is in a GIF's flags.
int colourTableBytes(int flags) {
    return (flags & 0x80) != 0 ? 3 << ((flags & 7) + 1) : 0;
}

/// How many bytes tell that a picture's control block is here, and what they are: its label and length, its
/// end, and what comes next, a picture or another block.
constexpr std::size_t kControlAndNext = 9;

bool isControlBlock(std::string_view bytes) {
    return bytes.starts_with(std::string_view("\x21\xF9\4", 3)) && bytes[7] == 0 &&
           (bytes[8] == 0x2C || bytes[8] == 0x21);
}

struct Screen {
    int width = 0, height = 0;
};

/// A block's end and a picture's head: its place and size, which are within the screen, its flags, and, where
/// no colours are between, the bits of its codes.
constexpr std::size_t kEndAndPicture = 12;

bool isPictureHead(std::string_view bytes, Screen screen) {
    constexpr int kHasColours = 0x80, kReserved = 0x18, kMostBits = 8;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
    const auto number = [&](std::size_t at) { return byte(at) | byte(at + 1) << 8; };
    if (bytes[0] != 0 || bytes[1] != 0x2C) return false;
    const int width = number(6), height = number(8), flags = byte(10), bits = byte(11);
    return width > 0 && height > 0 && number(2) + width <= screen.width &&
           number(4) + height <= screen.height && (flags & kReserved) == 0 &&
           ((flags & kHasColours) != 0 || (bits >= 2 && bits <= kMostBits));
}

/// Whether a picture's control block or its head is within bytes that come one after the other, which should
/// be of something else.
class SwallowedPicture {
  public:
    explicit SwallowedPicture(Screen screen) : m_screen(screen) {}

    /// `mayBeControl`: it isn't of a picture's codes, among which such bytes may be by chance.
    void add(int byte, bool mayBeControl) {
        m_last += char(byte);
        if (m_last.size() < kEndAndPicture) return;
        m_isFound |= (mayBeControl && isControlBlock(m_last)) || isPictureHead(m_last, m_screen);
        m_last.erase(0, 1);
    }
    [[nodiscard]] bool isFound() const { return m_isFound; }

  private:
    Screen m_screen;
    std::string m_last;
    bool m_isFound = false;
};

/// Whether the sub-blocks that come next end before another picture.
bool skipSubBlocks(ByteWalk& file, Screen screen) {
    SwallowedPicture swallowed(screen);
    for (int length = file.byte(); length > 0; length = file.byte()) {
        swallowed.add(length, true);
        for (; length > 0; --length) swallowed.add(file.byte(), true);
    }
    return !swallowed.isFound();
}

/// Whether an application's extension, of which the next byte is the length of its name, has a name and,
/// where it says how often a GIF is shown and how much to load before, parts of their lengths (GIF89a, 26).
bool isOfApplication(ByteWalk& file) {
    constexpr int kName = 8, kNameAndCode = 11, kLoops = 3, kLoading = 5;
    const std::string bytes = file.peek(1 + kNameAndCode + 1 + kLoading + 1);
    if (!isPrintable(bytes.substr(1, kName))) return false;
    if (!bytes.substr(1).starts_with("NETSCAPE")) return true;
    const int first = bytes[1 + kNameAndCode];
    if (bytes[0] != kNameAndCode || (first != 0 && first != kLoops && first != kLoading)) return false;
    const int next = bytes[std::size_t(1 + kNameAndCode + 1 + first)];
    return first == 0 || next == 0 || next == kLoops || next == kLoading;
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

/// Whether nothing but a few zeros, fewer than a picture has bytes, come before the end mark of a GIF, which
/// ends the file.
bool isPadded(ByteWalk& file) {
    constexpr std::int64_t kMostPadding = 16;
    if (file.size() - file.at() > kMostPadding) return false;
    while (file.at() < file.size() - 1)
        if (file.byte() != 0) return false;
    return file.byte() == 0x3B;
}

/// What is damaged in a GIF's picture, whose first byte has been read; the file stands behind it then.
std::optional<std::string> damageOfGifPicture(ByteWalk& file, Screen screen) {
    const std::int64_t place = file.at() - 1;
    file.skip(4);  // where it is
    const std::int64_t width = file.number(2, std::endian::little);
    const std::int64_t pixels = width * file.number(2, std::endian::little);
    file.skip(colourTableBytes(file.byte()));
    GifCodes codes(file.byte());
    SwallowedPicture swallowed(screen);
    const auto isFull = [&] { return codes.pixels() >= pixels; };
    bool goesOn = false;  // behind the code that ends it
    for (int length = file.byte(); length > 0; length = file.byte()) {
        goesOn |= codes.isEnded() && isFull();
        swallowed.add(length, isFull());
        for (; length > 0; --length) {
            const int next = file.byte();
            swallowed.add(next, isFull());
            codes.add(next);
        }
    }
    if (swallowed.isFound() || goesOn || (isFull() && codes.areDamaged()))
        return "the picture at byte " + std::to_string(place) + " goes on in the next one";
    if (isFull() || file.isPastEnd()) return std::nullopt;
    return "the picture at byte " + std::to_string(place) + " has " + std::to_string(codes.pixels()) +
           " of " + std::to_string(pixels) + " pixels" +
           (codes.areDamaged() ? ", and then a code that means nothing" : "");
}

/// Whether the control block of another picture follows that isn't of a GIF of its own.
bool hasGifBlocksBehind(ByteWalk& file) {
    bool isFirst = true, isOwn = false;
    const bool found = file.find(kControlAndNext, [&](std::string_view bytes) {
        isOwn = std::exchange(isFirst, false) && bytes.starts_with("GIF8");
        return isOwn || isControlBlock(bytes);
    });
    return found && !isOwn;
}

/// A checksum of Ogg (RFC 3533, 6) with one more byte, the first one highest.
std::uint32_t withByte(std::uint32_t sum, int byte) {
    const auto next = static_cast<std::uint8_t>(byte);
    return av_crc(av_crc_get_table(AV_CRC_32_IEEE), sum, &next, 1);
}

}  // namespace

std::int64_t picturesOfGif(const std::filesystem::path& path) {
    constexpr std::int64_t kSignature = 6, kSize = 4, kBackgroundAndAspect = 2, kPlace = 8;
    const auto skipBlocks = [](ByteWalk& file) {
        for (int length = file.byte(); length > 0; length = file.byte()) file.skip(length);
    };
    ByteWalk file(path);
    file.skip(kSignature + kSize);
    file.skip(colourTableBytes(file.byte()) + kBackgroundAndAspect);
    std::int64_t pictures = 0;
    for (int block = file.byte(); block == 0x21 || block == 0x2C; block = file.byte()) {
        if (block == 0x2C) {
            ++pictures;
            file.skip(kPlace);
            file.skip(colourTableBytes(file.byte()));
        }
        file.skip(1);  // the label of an extension, the bits of a picture's codes
        skipBlocks(file);
    }
    return pictures;
}

std::optional<std::string> missingEndOfGif(const std::filesystem::path& path) {
    constexpr const char* kBlock = "block of a GIF";
    constexpr int kControl = 0xF9;  // the extension that says how the next picture is shown
    constexpr int kApplication = 0xFF;
    constexpr std::array kOthers{0x01, 0xFE};  // text, a comment
    constexpr char kControlBytes = 4;
    bool awaitsPicture = false;
    ByteWalk file(path);
    file.skip(6);  // "GIF89a"
    const int width = int(file.number(2, std::endian::little)),
              height = int(file.number(2, std::endian::little));
    const Screen screen{width, height};
    const int flags = file.byte();
    file.skip(2 + colourTableBytes(flags));
    while (!file.isPastEnd()) {
        const std::int64_t place = file.at();
        switch (file.byte()) {
            case 0x21:  // an extension
                if (const int label = file.byte(); label == kControl) {
                    awaitsPicture = true;
                    const std::string control = file.peek(1 + kControlBytes + 1);
                    if (control.front() != kControlBytes || control.back() != 0) return noPart(place, kBlock);
                } else if (label == kApplication) {
                    if (!isOfApplication(file)) return noPart(place, kBlock);
                } else if (std::ranges::find(kOthers, label) == kOthers.end()) {
                    // Nobody knows it, but it ends where a control block would, before a picture.
                    const std::string next = file.peek(1 + kControlBytes + 2);
                    const bool endsBeforePicture = next.ends_with(std::string_view("\0\x2C", 2));
                    if (endsBeforePicture && next.front() != kControlBytes) return noPart(place, kBlock);
                }
                if (!skipSubBlocks(file, screen)) return noPart(place, kBlock);
                break;
            case 0x2C:
                awaitsPicture = false;
                if (auto damage = damageOfGifPicture(file, screen)) return damage;
                break;
            case 0x3B:
                if (hasGifBlocksBehind(file))
                    return "blocks follow its end mark at byte " + std::to_string(place);
                return std::nullopt;
            case -1:
                break;
            default:
                // Decoders end there: only padding before the end mark costs nothing.
                if (awaitsPicture || !isPadded(file)) return noPart(place, kBlock);
                return std::nullopt;
        }
    }
    return "the end mark of a GIF is missing";
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
