#pragma once

#include <optional>
#include <string>

#include "core/media/png_chunks.h"

namespace reelgrid::media {

/// A line of text in a PNG file and what it is about.
struct PngText {
    std::string keyword;
    std::string text;  ///< empty where it was packed, and is damaged or longer than 1 MiB
};

/// Of a chunk tEXt, zTXt or iTXt (ISO/IEC 15948, 11.3.4); of any other, nothing. Reads untrusted bytes.
std::optional<PngText> pngText(const PngChunk& chunk);

}  // namespace reelgrid::media
