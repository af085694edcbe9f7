#pragma once

#include <cstddef>
#include <string>

#include "core/base/hex.h"

namespace reelgrid::hub {

/// Hex digits of git's SHA-1, with SHA-256 the hub's two names of a file's contents.
inline constexpr std::size_t kGitDigits = 40;

/// Whether the hub can have named contents by the text.
bool isContentHash(const std::string& text);

}  // namespace reelgrid::hub
