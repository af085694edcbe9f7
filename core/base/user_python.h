#pragma once

#include <filesystem>

namespace reelgrid {

/// The user's Python: REELGRID_PYTHON, else that of the virtual environment that is active, else python3,
/// which is looked for on the PATH when it is started.
std::filesystem::path userPython();

}  // namespace reelgrid
