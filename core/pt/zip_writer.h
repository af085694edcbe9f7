#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace reelgrid::pt {

/// Writes a zip archive of stored entries, each of whose content is aligned as torch.save aligns it, so that
/// it can be mapped. The same entries give the same bytes. Throws Failure(Io).
class ZipWriter {
  public:
    explicit ZipWriter(const std::filesystem::path& file);

    void add(const std::string& name, std::string_view content);
    /// Writes the directory; nothing may be added after that.
    void finish();

  private:
    void put(std::string_view bytes);

    std::filesystem::path m_file;
    std::ofstream m_stream;
    std::uint64_t m_written = 0;
    std::uint64_t m_entries = 0;
    std::string m_directory;
};

}  // namespace reelgrid::pt
