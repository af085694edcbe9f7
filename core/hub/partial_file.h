#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace reelgrid::hub {

/// A file that grows as its bytes come, locked against other processes that fetch the same.
class PartialFile {
  public:
    /// Goes on from what there is. Io, also when another process holds the lock.
    static Result<PartialFile> open(const std::filesystem::path& path, const std::filesystem::path& lock);

    PartialFile(PartialFile&& other) noexcept;
    PartialFile& operator=(PartialFile&&) = delete;
    ~PartialFile();

    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Io: the disk is full, say.
    Result<void> append(std::string_view bytes);
    Result<void> clear();
    /// Gives the whole file its name, on the disk first.
    Result<void> becomes(const std::filesystem::path& final);

  private:
    PartialFile(std::filesystem::path path, int file, int lock);
    [[nodiscard]] Error failed(const std::string& what) const;

    std::filesystem::path m_path;
    int m_file = -1, m_lock = -1;
    std::uint64_t m_size = 0;
};

}  // namespace reelgrid::hub
