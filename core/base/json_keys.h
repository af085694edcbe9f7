#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid {

/// InvalidData naming a key that an object of the JSON text has twice. Of files that other programs write the
/// last one counts, as in Python; of those that people write for this one nobody knows which was meant.
Result<void> requireKeysOnce(std::string_view text, const std::string& what);
/// The same of a file of at most `maxBytes`.
Result<void> requireKeysOnce(const std::filesystem::path& file, std::size_t maxBytes);

}  // namespace reelgrid
