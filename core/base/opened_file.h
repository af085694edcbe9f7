#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

#include "core/base/result.h"

namespace reelgrid {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

/// A regular file that is open for reading.
struct OpenedFile {
    FileHandle file;
    std::uint64_t bytes = 0;  ///< when it was opened; it may grow meanwhile
};

/// Opens a regular file of at most `maxBytes`. Never waits: a pipe, a socket, a device or a folder under the
/// name is refused. Errors as requireFile()'s; Io where it can't be read.
Result<OpenedFile> openRegularFile(const std::filesystem::path& path,
                                   std::uint64_t maxBytes = std::numeric_limits<std::uint64_t>::max());

}  // namespace reelgrid
