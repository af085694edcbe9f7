#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace reelgrid::weights {

/// A read-only memory map of a whole file; it lives as long as anything holds the pointer.
class MappedFile {
  public:
    /// Throws Failure(NotFound or Io).
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::string_view bytes() const { return {m_data, m_size}; }
    /// Lets the kernel drop the pages of a range that has been converted; they are read again if they are
    /// used again.
    void release(std::size_t begin, std::size_t size) const;

  private:
    MappedFile(const char* data, std::size_t size) : m_data(data), m_size(size) {}
    const char* m_data;
    std::size_t m_size;
};

}  // namespace reelgrid::weights
