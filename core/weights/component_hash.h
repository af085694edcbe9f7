#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::weights {

struct FileHash {
    std::string name;
    std::uint64_t bytes = 0;
    std::string sha256;
};

/// What a component was, for a manifest.
struct ComponentHash {
    /// Over the lines "<sha256>  <name>\n" of its files in order, as `sha256sum * | sha256sum` makes it.
    std::string sha256;
    /// Sorted by name.
    std::vector<FileHash> files;
};

/// SHA-256 of components' files. A file is read once and remembered by path, size and modification time, so
/// that a warm worker answers at once. May be used from any thread; one call hashes at a time.
class ComponentHasher {
  public:
    /// Hashes the regular files directly in `folder` (hidden ones left out). NotFound or Io, naming the file.
    Result<ComponentHash> hash(const std::filesystem::path& folder);

  private:
    struct Known {
        std::uint64_t bytes = 0;
        std::filesystem::file_time_type modified;
        std::string sha256;
    };
    Result<FileHash> hashFile(const std::filesystem::path& path);

    std::mutex m_mutex;
    std::map<std::filesystem::path, Known> m_known;
};

}  // namespace reelgrid::weights
