#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"

namespace reelgrid::result {

/// What a file that nobody touched has kept: the time of change can't be set back.
struct FileStamp {
    std::uint64_t bytes = 0;
    std::uint64_t inode = 0;
    std::int64_t modified = 0;  ///< nanoseconds since 1970
    std::int64_t changed = 0;   ///< likewise
    bool operator==(const FileStamp&) const = default;
};

/// NotFound or Io, naming the file.
Result<FileStamp> stampOf(const std::filesystem::path& path);

}  // namespace reelgrid::result
