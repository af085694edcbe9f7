#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/media/png/png_chunks.h"

namespace reelgrid::media {

/// A text in a PNG file and what it is about; the file must outlive it.
struct PngText {
    std::string_view keyword, stored;
    bool isPacked = false;

    /// Empty where it is packed, and is damaged or longer than 1 MiB.
    [[nodiscard]] std::string text() const;
};

/// Of a chunk tEXt, zTXt or iTXt (ISO/IEC 15948, 11.3.4); of any other, nothing. Reads untrusted bytes.
std::optional<PngText> pngText(const PngChunk& chunk);

/// The keywords of texts that may say which way up a picture is: EXIF as ImageMagick writes it, and XMP.
inline constexpr std::string_view kExifKeyword = "Raw profile type exif", kXmpKeyword = "XML:com.adobe.xmp";

}  // namespace reelgrid::media
