#pragma once

#include <cstddef>
#include <string_view>

namespace reelgrid {

/// The bytes of the character of well-formed UTF-8 that begins at `at`, 1 to 4; 0: none does.
std::size_t utf8LengthAt(std::string_view text, std::size_t at);

/// Whether the text is well-formed UTF-8 throughout.
bool isUtf8(std::string_view text);

}  // namespace reelgrid
