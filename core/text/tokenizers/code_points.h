#pragma once

#include <string>
#include <string_view>

namespace reelgrid::text {

/// Unicode's White_Space.
bool isWhitespace(char32_t point);
/// Its general categories L and N.
bool isUnicodeLetter(char32_t point);
bool isUnicodeNumber(char32_t point);

/// UTF-8, each code point by itself: no final sigma, no language's own rules.
std::string lowercase(const std::string& text);
/// UTF-8 in normalization form C. Throws Failure(InvalidData) for what is no UTF-8.
std::string composed(std::string_view text);

}  // namespace reelgrid::text
