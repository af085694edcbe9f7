#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace reelgrid::profile {

/// Writes the gzipped content of `plain` to `packed`, which is overwritten. Io naming the file.
Result<void> gzipFile(const std::filesystem::path& plain, const std::filesystem::path& packed);

}  // namespace reelgrid::profile
