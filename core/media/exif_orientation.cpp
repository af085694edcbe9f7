#include "core/media/exif_orientation.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace reelgrid::media {
namespace {

using Bytes = std::span<const std::uint8_t>;
enum class Order { LittleEndian, BigEndian };

/// A number of `size` bytes, or nothing where the file ends before it.
std::optional<std::uint32_t> numberAt(Bytes bytes, std::size_t at, std::size_t size, Order order) {
    if (at > bytes.size() || bytes.size() - at < size) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t place = order == Order::BigEndian ? i : size - 1 - i;
        value = value << 8 | bytes[at + place];
    }
    return value;
}

bool hasAt(Bytes bytes, std::size_t at, std::string_view text) {
    return at <= bytes.size() && bytes.size() - at >= text.size() &&
           std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

Bytes from(Bytes bytes, std::size_t at, std::size_t size) {
    at = std::min(at, bytes.size());
    return bytes.subspan(at, std::min(size, bytes.size() - at));
}

constexpr std::string_view kExif{"Exif\0\0", 6};

/// The APP1 segment of a JPEG file that begins with kExif, without it.
Bytes exifOfJpeg(Bytes file) {
    constexpr std::uint8_t kMark = 0xFF, kApp1 = 0xE1, kStartOfScan = 0xDA;
    for (std::size_t at = 2; at + 4 <= file.size();) {
        if (file[at] != kMark) return {};
        const std::uint8_t kind = file[at + 1];
        if (kind == kMark) {  // fill byte
            ++at;
            continue;
        }
        if (kind == kStartOfScan) return {};
        const auto size = numberAt(file, at + 2, 2, Order::BigEndian);
        if (!size || *size < 2) return {};
        if (kind == kApp1 && hasAt(file, at + 4, kExif))
            return from(file, at + 4 + kExif.size(),
                        *size - 2 - std::min<std::size_t>(*size - 2, kExif.size()));
        at += 2 + *size;
    }
    return {};
}

/// A chunk of a PNG file: size, name, data, checksum.
Bytes exifOfPng(Bytes file) {
    for (std::size_t at = 8; at + 12 <= file.size();) {
        const auto size = numberAt(file, at, 4, Order::BigEndian);
        if (hasAt(file, at + 4, "eXIf")) return from(file, at + 8, *size);
        at += 12 + std::size_t{*size};
    }
    return {};
}

/// A chunk of a WebP file: name, size, data, padded to an even size. Some writers leave JPEG's mark in it.
Bytes exifOfWebp(Bytes file) {
    for (std::size_t at = 12; at + 8 <= file.size();) {
        const auto size = numberAt(file, at + 4, 4, Order::LittleEndian);
        if (hasAt(file, at, "EXIF")) {
            const Bytes chunk = from(file, at + 8, *size);
            return hasAt(chunk, 0, kExif) ? chunk.subspan(kExif.size()) : chunk;
        }
        at += 8 + std::size_t{*size} + *size % 2;
    }
    return {};
}

/// Tag 0x0112 of a TIFF header's first directory, 1 where there is none.
std::uint32_t orientationIn(Bytes tiff) {
    constexpr std::uint32_t kTag = 0x0112, kShort = 3, kUpright = 1;
    constexpr std::size_t kEntryBytes = 12;
    if (!hasAt(tiff, 0, "II") && !hasAt(tiff, 0, "MM")) return kUpright;
    const Order order = tiff[0] == 'I' ? Order::LittleEndian : Order::BigEndian;
    const auto directory = numberAt(tiff, 4, 4, order);
    if (!directory) return kUpright;
    const auto entries = numberAt(tiff, *directory, 2, order);
    for (std::size_t i = 0; entries && i < *entries; ++i) {
        const std::size_t entry = std::size_t{*directory} + 2 + i * kEntryBytes;
        const auto tag = numberAt(tiff, entry, 2, order), type = numberAt(tiff, entry + 2, 2, order);
        if (!tag || !type) return kUpright;
        if (*tag == kTag && *type == kShort) return numberAt(tiff, entry + 8, 2, order).value_or(kUpright);
    }
    return kUpright;
}

}  // namespace

Display exifDisplay(Bytes file) {
    Bytes exif;
    if (hasAt(file, 0, "\xFF\xD8"))
        exif = exifOfJpeg(file);
    else if (hasAt(file, 0, "\x89PNG"))
        exif = exifOfPng(file);
    else if (hasAt(file, 0, "RIFF"))
        exif = exifOfWebp(file);
    const std::uint32_t orientation = orientationIn(exif);
    Display display;
    if (orientation < 2 || orientation > 8) return display;
    // 5 to 8 lie on their side; which way up and round they are is the same four cases again.
    display.isTransposed = orientation >= 5;
    display.isMirroredAcross = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    display.isMirroredDown = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    return display;
}

}  // namespace reelgrid::media
