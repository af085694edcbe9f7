#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "kernels/backends/plugin_backend.h"

namespace reelgrid::plugins {

/// What a plug-in's file says of its backends. Its code is loaded and asked in a process of its own, which
/// may crash or hang (10 seconds) without harm. `file` is absolute.
Result<std::vector<kernels::PluginDescription>> describedBy(const std::filesystem::path& file);

}  // namespace reelgrid::plugins
