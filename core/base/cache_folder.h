#pragma once

#include <filesystem>

namespace reelgrid {

/// Where this user's programs keep what can be made again: $REELGRID_CACHE, else ~/.cache/reelgrid. Empty
/// without a home.
std::filesystem::path cacheFolder();

}  // namespace reelgrid
