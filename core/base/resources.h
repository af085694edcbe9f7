#pragma once

#include <filesystem>

namespace reelgrid {

/// The folder of the running program's file.
std::filesystem::path executableFolder();

/// The `resources` folder: $REELGRID_RESOURCES, else <prefix>/share/reelgrid beside an installed program,
/// else the source tree that a build folder is in. Empty when none of them exists.
std::filesystem::path resourceFolder();

}  // namespace reelgrid
