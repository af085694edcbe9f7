#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace reelgrid::plugins {

/// Whether a plug-in's file is a kernel in Python.
bool isPython(const std::filesystem::path& file);

/// What such a file says of itself, as JSON: its interpreter imports it (60 seconds), unless the same
/// interpreter has done so before with the same contents (`sha256`), which is kept in the user's cache.
Result<std::string> pythonDescription(const std::filesystem::path& file, const std::string& sha256);
/// What is kept of it is no longer so.
void forgetPythonDescription(const std::filesystem::path& file, const std::string& sha256);

}  // namespace reelgrid::plugins
