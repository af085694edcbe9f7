#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::hub {

/// A file of a repository.
struct RemoteFile {
    std::string path;  ///< inside the repository, with slashes; never leaves it
    std::uint64_t size = 0;
    /// SHA-256 (64 hex digits) of a large file, git's hash (40) of a small one.
    std::string hash{};
};

struct FileList {
    std::string commit;  ///< 40 hex digits
    std::vector<RemoteFile> files;
};

/// The hub's answer about one revision. InvalidData names what is wrong with it: no commit, a path that would
/// leave the repository, a hash or a size that is none, two files of one name. The same entry twice is one
/// file.
Result<FileList> fileListFrom(const std::string& json, const std::string& what);

/// The hash of `path`'s contents, of the kind that `like` is. Io.
Result<std::string> hashOfFile(const std::string& path, const std::string& like);

}  // namespace reelgrid::hub
