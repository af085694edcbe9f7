#pragma once

#include <filesystem>
#include <string>

namespace reelgrid::cli {

/// A new folder in $TMPDIR (/tmp) that goes with everything in it. Throws Failure(Io) when it can't be made.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(const std::string& name);
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

}  // namespace reelgrid::cli
