#include "core/media/exif_orientation.h"

#include <optional>
#include <string_view>

#include "core/media/metadata_number.h"
#include "core/media/picture_metadata.h"

namespace reelgrid::media {
namespace {

constexpr std::uint32_t kUpright = 1;

/// Bytes of a number of a TIFF type that Pillow takes for a whole one; 0: it is none.
std::size_t wholeNumberBytes(std::uint32_t type) {
    switch (type) {
        case 6:  // SBYTE
            return 1;
        case 3:  // SHORT
        case 8:  // SSHORT
            return 2;
        case 4:   // LONG
        case 9:   // SLONG
        case 13:  // IFD
            return 4;
        default:
            return 0;
    }
}

/// Tag 0x0112 of a TIFF header's first directory.
std::optional<std::uint32_t> orientationIn(std::string_view tiff) {
    constexpr std::uint32_t kTag = 0x0112;
    constexpr std::size_t kEntryBytes = 12;
    if (!tiff.starts_with("II") && !tiff.starts_with("MM")) return std::nullopt;
    const ByteOrder order = tiff[0] == 'I' ? ByteOrder::LittleEndian : ByteOrder::BigEndian;
    const auto directory = metadataNumber(tiff, 4, 4, order);
    if (!directory) return std::nullopt;
    const auto entries = metadataNumber(tiff, *directory, 2, order);
    for (std::size_t i = 0; entries && i < *entries; ++i) {
        const std::size_t entry = std::size_t{*directory} + 2 + i * kEntryBytes;
        const auto tag = metadataNumber(tiff, entry, 2, order),
                   type = metadataNumber(tiff, entry + 2, 2, order),
                   count = metadataNumber(tiff, entry + 4, 4, order);
        if (!tag || !type || !count) return std::nullopt;
        if (*tag != kTag) continue;
        const std::size_t size = *count == 1 ? wholeNumberBytes(*type) : 0;
        return size == 0 ? kUpright : metadataNumber(tiff, entry + 8, size, order).value_or(kUpright);
    }
    return std::nullopt;
}

/// The first digit behind tiff:Orientation, an attribute or an element.
std::optional<std::uint32_t> orientationInXmp(std::string_view xmp) {
    constexpr std::string_view kName = "tiff:Orientation";
    for (std::size_t at = xmp.find(kName); at != xmp.npos; at = xmp.find(kName, at + 1)) {
        std::string_view rest = xmp.substr(at + kName.size());
        const std::string_view begin = rest.starts_with("=\"") ? "=\"" : ">";
        if (!rest.starts_with(begin)) continue;
        rest.remove_prefix(begin.size());
        if (!rest.empty() && rest.front() >= '0' && rest.front() <= '9')
            return static_cast<std::uint32_t>(rest.front() - '0');
    }
    return std::nullopt;
}

}  // namespace

Display exifDisplay(std::span<const std::uint8_t> file) {
    const PictureMetadata metadata = metadataOf(file);
    auto found = orientationIn(metadata.exif);
    if (!found) found = orientationInXmp(metadata.xmp);
    const std::uint32_t orientation = found.value_or(kUpright);
    Display display;
    if (orientation < 2 || orientation > 8) return display;
    // 5 to 8 lie on their side; which way up and round they are is the same four cases again.
    display.isTransposed = orientation >= 5;
    display.isMirroredAcross = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    display.isMirroredDown = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    return display;
}

}  // namespace reelgrid::media
