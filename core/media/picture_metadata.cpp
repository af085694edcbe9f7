#include "core/media/picture_metadata.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/media/metadata_number.h"
#include "core/media/png/png_chunks.h"
#include "core/media/png/png_text.h"

namespace reelgrid::media {
namespace {

constexpr std::string_view kExif{"Exif\0\0", 6};

/// APP1 segments of a JPEG file: each begins with what it is. EXIF may go on in further ones; of XMP's the
/// last counts.
PictureMetadata metadataOfJpeg(std::string_view file) {
    constexpr std::string_view kXmp{"http://ns.adobe.com/xap/1.0/\0", 29};
    constexpr char kMark = '\xFF', kApp1 = '\xE1', kStartOfScan = '\xDA';
    PictureMetadata found;
    for (std::size_t at = 2; at + 4 <= file.size();) {
        if (file[at] != kMark) break;
        const char kind = file[at + 1];
        if (kind == kMark) {  // fill byte
            ++at;
            continue;
        }
        const auto size = metadataNumber(file, at + 2, 2, ByteOrder::BigEndian);
        if (kind == kStartOfScan || !size || *size < 2) break;
        const std::string_view segment = file.substr(at + 4, *size - 2);
        if (kind == kApp1 && segment.starts_with(kExif)) found.exif += segment.substr(kExif.size());
        if (kind == kApp1 && segment.starts_with(kXmp)) found.xmp = segment.substr(kXmp.size());
        at += 2 + std::size_t{*size};
    }
    return found;
}

/// "\nexif\n      56\n", then hexadecimal digits in lines.
std::string rawProfile(std::string_view text) {
    for (int line = 0; line < 3; ++line) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    std::string digits(text), bytes;
    std::erase_if(digits, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
    for (std::size_t at = 0; at + 2 <= digits.size(); at += 2) {
        unsigned value = 0;
        const char* end = digits.data() + at + 2;
        if (std::from_chars(digits.data() + at, end, value, 16).ptr != end) return {};
        bytes += static_cast<char>(value);
    }
    return bytes;
}

/// Of chunks that are there twice the last counts, wherever it stands.
PictureMetadata metadataOfPng(std::string_view file) {
    PictureMetadata found;
    std::optional<PngText> profile, xmp;
    forEachPngChunk(file, [&](const PngChunk& chunk) {
        if (chunk.type == "eXIf") found.exif = chunk.data;
        const auto text = pngText(chunk);
        if (text && text->keyword == kExifKeyword) profile = text;
        if (text && text->keyword == kXmpKeyword) xmp = text;
        return true;
    });
    if (found.exif.empty() && profile) found.exif = rawProfile(profile->text());
    if (xmp) found.xmp = xmp->text();
    return found;
}

/// Chunks of a WebP file: name, size, data, padded to an even size.
PictureMetadata metadataOfWebp(std::string_view file) {
    PictureMetadata found;
    for (std::size_t at = 12; at + 8 <= file.size();) {
        const std::size_t size = metadataNumber(file, at + 4, 4, ByteOrder::LittleEndian).value_or(0);
        const std::string_view kind = file.substr(at, 4), data = file.substr(at + 8, size);
        if (kind == "EXIF" && found.exif.empty()) found.exif = data;
        if (kind == "XMP " && found.xmp.empty()) found.xmp = data;
        at += 8 + size + size % 2;
    }
    return found;
}

}  // namespace

PictureMetadata metadataOf(std::span<const std::uint8_t> bytes) {
    const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    PictureMetadata found;
    if (file.starts_with("\xFF\xD8"))
        found = metadataOfJpeg(file);
    else if (file.starts_with("\x89PNG"))
        found = metadataOfPng(file);
    else if (file.starts_with("RIFF"))
        found = metadataOfWebp(file);
    // Some writers leave JPEG's mark in other files, too.
    if (found.exif.starts_with(kExif)) found.exif.erase(0, kExif.size());
    return found;
}

}  // namespace reelgrid::media
