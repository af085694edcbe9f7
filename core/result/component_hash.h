#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/result/file_stamp.h"
#include "core/result/kept_hashes.h"

namespace reelgrid::result {

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

/// SHA-256 of components' files. A file is read once and remembered as long as nothing touches it
/// (file_stamp.h), so that a warm worker answers at once; of large ones `kept` remembers it for the next
/// process, too. May be used from any thread.
class ComponentHasher {
  public:
    explicit ComponentHasher(KeptHashes kept = KeptHashes()) : m_kept(std::move(kept)) {}

    /// Reads the files, several at a time, for hash() to know: one processor hashes slower than a disk reads.
    /// Their errors are hash()'s to tell; Cancelled once `stop` was asked for.
    Result<void> learn(const std::vector<std::filesystem::path>& files, const std::stop_token& stop);

    /// Hashes the files, sorted. NotFound or Io, naming the file.
    Result<ComponentHash> hash(const std::vector<std::filesystem::path>& files);

    /// One file; Cancelled once `stop` was asked for.
    Result<FileHash> hashFile(const std::filesystem::path& path, const std::stop_token& stop = {});

    /// The first of the files whose bytes were written over since they were hashed last; empty: none. Whoever
    /// has a file open keeps what it was where another one has taken its name, or none has.
    std::filesystem::path writtenOver(const std::vector<std::filesystem::path>& files);

  private:
    struct Known {
        FileStamp stamp;
        std::string sha256;
    };

    KeptHashes m_kept;
    std::mutex m_mutex;
    std::map<std::filesystem::path, Known> m_known;
};

}  // namespace reelgrid::result
