#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"

namespace reelgrid {

/// Pictures are read into memory as a whole.
inline constexpr std::uint64_t kMostPictureBytes = std::uint64_t{256} << 20;

/// Whether `path` is a file of at most so many bytes, before any of it is read. NotFound, Io or InvalidData
/// naming it and why not: a folder, a pipe, links in a circle, no permission, too large.
Result<void> requireFile(const std::filesystem::path& path, std::uint64_t maxBytes);

}  // namespace reelgrid
