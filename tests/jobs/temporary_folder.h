#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace reelgrid::jobs {

/// A new folder that is removed with everything in it.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "reelgrid-jobs-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) std::abort();
        m_path = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

}  // namespace reelgrid::jobs
