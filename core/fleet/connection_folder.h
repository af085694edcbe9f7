#pragma once

#include <filesystem>
#include <utility>

#include "core/base/result.h"
#include "core/jobs/file_descriptor.h"

namespace reelgrid::fleet {

/// A new folder in $TMPDIR (/tmp) that nobody else may look into and that goes with everything in it. Those
/// of our user that killed processes left are removed first.
class ConnectionFolder {
  public:
    /// Io when it can't be made.
    static Result<ConnectionFolder> create();

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    ConnectionFolder(ConnectionFolder&& other) noexcept
        : m_path(std::exchange(other.m_path, {})), m_lock(std::move(other.m_lock)) {}
    ConnectionFolder& operator=(ConnectionFolder&&) = delete;
    ~ConnectionFolder();

  private:
    ConnectionFolder(std::filesystem::path path, jobs::FileDescriptor lock)
        : m_path(std::move(path)), m_lock(std::move(lock)) {}

    std::filesystem::path m_path;  ///< empty: moved from
    jobs::FileDescriptor m_lock;   ///< held on a file in it, as long as this process lives
};

}  // namespace reelgrid::fleet
