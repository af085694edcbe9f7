#pragma once

#include <cstddef>
#include <string_view>

namespace reelgrid {

/// Hex digits of a SHA-256.
inline constexpr std::size_t kSha256Digits = 64;

/// Whether the text is so many hex digits in lower case.
inline bool isHex(std::string_view text, std::size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace reelgrid
