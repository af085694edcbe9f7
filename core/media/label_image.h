#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::media {

/// How much of each pixel a text covers, 0 to 255; rows from the top, no padding.
struct LabelImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> coverage;
};

struct LabelStyle {
    int fontSize = 36;                 ///< pixels
    std::filesystem::path fontFile{};  ///< empty: DejaVu Sans, as fontconfig finds it
};

/// Draws `text`, centred, in an image of exactly width × height. A text that is too long is drawn smaller,
/// down to half the size, and then loses its middle ("cog…fp8"): it is never clipped. `text` may be anything:
/// bytes that aren't UTF-8 become '?', control characters a space. NotFound when there is no font.
Result<LabelImage> drawLabel(const std::string& text, int width, int height, const LabelStyle& style);

/// `text` as it is drawn: one line of valid UTF-8 of at most 200 characters.
std::string printable(const std::string& text);

}  // namespace reelgrid::media
