#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reelgrid::text {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

/// Code points of UTF-8 text. Each byte that is part of no well-formed sequence becomes U+FFFD.
std::u32string decodeUtf8(std::string_view bytes);

/// The same, or nothing when the bytes are not well-formed UTF-8 throughout.
std::optional<std::u32string> decodeStrictUtf8(std::string_view bytes);

std::string encodeUtf8(std::u32string_view text);

}  // namespace reelgrid::text
