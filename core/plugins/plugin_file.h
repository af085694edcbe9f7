#pragma once

#include <cstddef>
#include <filesystem>

#include "core/base/result.h"

namespace reelgrid::plugins {

/// A recipe is read into memory as a whole.
inline constexpr std::size_t kMostRecipeBytes = std::size_t{1} << 20;

/// Whether `file` may be a plug-in's by its size, before any of it is read: a recipe (.json), a kernel in
/// Python of at most 16 MiB, or a library of at most 4 GiB. requireFile()'s errors.
Result<void> requirePluginFile(const std::filesystem::path& file);

}  // namespace reelgrid::plugins
