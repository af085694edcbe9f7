#pragma once

#include <cstddef>
#include <string>

namespace reelgrid::hub {

/// Hex digits of git's SHA-1 and of a SHA-256, the hub's two names of a file's contents.
inline constexpr std::size_t kGitDigits = 40, kSha256Digits = 64;

/// Whether the text is so many hex digits in lower case.
bool isHex(const std::string& text, std::size_t digits);

/// Whether the hub can have named contents by the text.
bool isContentHash(const std::string& text);

}  // namespace reelgrid::hub
