#include "core/media/picture_structure.h"

extern "C" {
#include <libavutil/crc.h>
}

#include <cstdint>

#include "core/media/png/png_chunks.h"
#include "core/media/png/png_text.h"

namespace reelgrid::media {
namespace {

int byteAt(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

/// The lowest byte first.
std::uint64_t littleEndian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// Of ISO/IEC 15948, annex D.
std::uint32_t checksum(std::string_view bytes) {
    constexpr std::uint32_t kAllOnes = 0xFFFFFFFF;
    return av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), kAllOnes,
                  reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) ^
           kAllOnes;
}

/// Whether the picture isn't what it should be without the chunk. What isn't needed is often wrong, and left
/// out.
bool isNeeded(const PngChunk& chunk) {
    constexpr int kAncillary = 0x20;
    if ((byteAt(chunk.type, 0) & kAncillary) == 0 || chunk.type == "eXIf") return true;
    const auto text = pngText(chunk);
    return text && (text->keyword == kExifKeyword || text->keyword == kXmpKeyword);
}

PictureStructure ofPng(std::string_view bytes) {
    constexpr std::size_t kSizeAt = 16;
    PictureStructure found;
    if (bytes.size() < kSizeAt + 8) return found;
    found.size = {int(bigEndian(bytes.substr(kSizeAt, 4)) & 0x7FFFFFFF),
                  int(bigEndian(bytes.substr(kSizeAt + 4, 4)) & 0x7FFFFFFF)};
    forEachPngChunk(bytes, [&](const PngChunk& chunk) {
        // FFmpeg looks at none.
        if (isNeeded(chunk) && checksum(chunk.checked) != chunk.checksum)
            found.missing = "it is damaged: a chunk's checksum isn't that of its bytes";
        return !found.missing;
    });
    return found;
}

/// Frames (SOF): all but the tables and the arithmetic decoder's conditions in their range of marks.
bool isFrameMark(int mark) {
    return mark >= 0xC0 && mark <= 0xCF && mark != 0xC4 && mark != 0xC8 && mark != 0xCC;
}

PictureStructure ofJpeg(std::string_view bytes) {
    constexpr int kEnd = 0xD9, kScan = 0xDA;
    const auto standsAlone = [](int mark) { return mark == 0x01 || (mark >= 0xD0 && mark <= 0xD8); };
    PictureStructure found;
    std::size_t at = 2;
    while (at + 1 < bytes.size()) {
        // Between segments, and in a scan's data, whatever isn't a mark is passed over.
        if (byteAt(bytes, at) != 0xFF || byteAt(bytes, at + 1) == 0 || byteAt(bytes, at + 1) == 0xFF) {
            ++at;
            continue;
        }
        const int mark = byteAt(bytes, at + 1);
        at += 2;
        if (mark == kEnd) return found;
        if (standsAlone(mark)) continue;
        if (at + 2 > bytes.size()) break;
        const std::size_t length = bigEndian(bytes.substr(at, 2));
        if (isFrameMark(mark) && at + 7 <= bytes.size() && !found.size)
            found.size = {int(bigEndian(bytes.substr(at + 5, 2))), int(bigEndian(bytes.substr(at + 3, 2)))};
        if (mark == kScan && !found.size) return found;  // damaged in another way
        at += length;
    }
    found.missing = "the end mark of a JPEG is missing, the file is cut short";
    return found;
}

PictureStructure ofWebP(std::string_view bytes) {
    constexpr std::size_t kRiff = 8, kFirstChunk = 12, kData = 20;
    PictureStructure found;
    const std::uint64_t needed = kRiff + littleEndian(bytes.substr(4, 4));
    if (bytes.size() < needed)
        found.missing = "the file is cut short: it has " + std::to_string(bytes.size()) + " of " +
                        std::to_string(needed) + " bytes";
    const std::string_view type = bytes.substr(kFirstChunk, 4);
    if (bytes.size() < kData + 10) return found;
    if (type == "VP8X")
        found.size = {int(littleEndian(bytes.substr(kData + 4, 3)) + 1),
                      int(littleEndian(bytes.substr(kData + 7, 3)) + 1)};
    if (type == "VP8L") {
        const std::uint64_t bits = littleEndian(bytes.substr(kData + 1, 4));
        found.size = {int(bits & 0x3FFF) + 1, int(bits >> 14 & 0x3FFF) + 1};
    }
    if (type == "VP8 ")
        found.size = {int(littleEndian(bytes.substr(kData + 6, 2)) & 0x3FFF),
                      int(littleEndian(bytes.substr(kData + 8, 2)) & 0x3FFF)};
    return found;
}

}  // namespace

PictureStructure pictureStructure(std::string_view bytes) {
    if (bytes.starts_with("\x89PNG")) return ofPng(bytes);
    if (bytes.starts_with("\xFF\xD8\xFF")) return ofJpeg(bytes);
    if (bytes.starts_with("RIFF") && bytes.size() >= 16) return ofWebP(bytes);
    return {};
}

}  // namespace reelgrid::media
