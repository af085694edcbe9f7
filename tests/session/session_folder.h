#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace reelgrid::session {

/// A new folder to put a session in; removed with everything in it.
class SessionFolder {
  public:
    SessionFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "reelgrid-session-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) std::abort();
        m_path = name;
    }
    SessionFolder(const SessionFolder&) = delete;
    SessionFolder& operator=(const SessionFolder&) = delete;
    ~SessionFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = m_path / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file;
    }

  private:
    std::filesystem::path m_path;
};

}  // namespace reelgrid::session
