#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/opened_file.h"
#include "core/base/result.h"

namespace reelgrid {

/// A file that is written beside its final place and renamed on commit(), so that no partial file ever has
/// the final name. An uncommitted one is removed by the destructor; what a killed process left is removed by
/// the next create() for the same final name.
class PendingFile {
  public:
    /// Makes the parent folders and reserves a hidden name (pending_name.h). Fails with Io when the folder
    /// can't be made or written to.
    static Result<PendingFile> create(const std::filesystem::path& finalPath);

    PendingFile(PendingFile&& other) noexcept;
    PendingFile& operator=(PendingFile&& other) noexcept;
    ~PendingFile();

    /// Where to write until commit().
    [[nodiscard]] const std::filesystem::path& path() const { return m_temporary; }
    [[nodiscard]] const std::filesystem::path& finalPath() const { return m_final; }

    /// Renames onto the final name.
    Result<void> commit();

  private:
    PendingFile(std::filesystem::path temporary, std::filesystem::path final, FileHandle lock);
    void discard() noexcept;

    std::filesystem::path m_temporary;
    std::filesystem::path m_final;
    FileHandle m_lock;  // on m_temporary; ends with the process, however that ends
};

/// Writes `bytes` to `path` through a PendingFile.
Result<void> writeFile(const std::filesystem::path& path, std::string_view bytes);

/// Reads a whole regular file of at most `maxBytes`. Errors as openRegularFile()'s: only a missing one is
/// NotFound.
Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes = std::size_t{64} << 20);

}  // namespace reelgrid
