#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/result/file_stamp.h"

namespace reelgrid::result {

/// SHA-256 of large files, which took seconds to read, kept from one process to the next in a file of this
/// user's: an entry counts while its file's stamp is the same. What can't be read or written there is hashed
/// anew; that is no error. Several processes may have the same file: the last to write wins.
class KeptHashes {
  public:
    static constexpr std::uint64_t kLeastBytes = std::uint64_t{64} << 20;
    static constexpr std::size_t kMostFiles = 512;

    /// An empty path keeps nothing. Of smaller files than `leastBytes` nothing is kept.
    explicit KeptHashes(std::filesystem::path file = {}, std::uint64_t leastBytes = kLeastBytes)
        : m_file(std::move(file)), m_leastBytes(leastBytes) {}

    /// Those in "file-hashes.json" in the cache's folder; where there is none nothing is kept.
    static KeptHashes ofUser();

    /// path: absolute.
    [[nodiscard]] std::optional<std::string> find(const std::filesystem::path& path,
                                                  const FileStamp& stamp) const;
    /// `stamp` was taken before the file was read. One so young that it may be changed again within the same
    /// tick of the file system's clock isn't kept. Beyond kMostFiles the oldest are forgotten.
    void keep(const std::filesystem::path& path, const FileStamp& stamp, const std::string& sha256) const;

  private:
    std::filesystem::path m_file;
    std::uint64_t m_leastBytes;
};

}  // namespace reelgrid::result
