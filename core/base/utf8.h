#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid {

/// The bytes of the character of well-formed UTF-8 that begins at `at`, 1 to 4; 0: none does.
std::size_t utf8LengthAt(std::string_view text, std::size_t at);

/// Whether the text is well-formed UTF-8 throughout.
bool isUtf8(std::string_view text);

/// What is wrong with a text, such as a path, that is to be kept in JSON, which has no other bytes; empty: it
/// can be.
std::string whyNotUtf8(const std::string& text);

/// BadUsage where it can't be; `what`: the option, or what else the text is.
Result<void> requireUtf8(const std::string& what, const std::string& text);

}  // namespace reelgrid
