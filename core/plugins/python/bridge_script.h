#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace reelgrid::plugins {

/// The program in Python that serves kernels (resources/backends/python/reelgrid_bridge.py).
Result<std::filesystem::path> bridgeScript();

}  // namespace reelgrid::plugins
