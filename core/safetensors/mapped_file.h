#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "core/safetensors/mapped_region.h"

namespace reelgrid::safetensors {

/// A read-only memory map of a whole file; it lives as long as anything holds the pointer. Its pages come
/// from the disk as they are touched. The file must not shrink meanwhile: a touch behind its end ends the
/// process with a line that names it (mapped_region.h).
class MappedFile {
  public:
    /// Throws Failure(NotFound, Io, or InvalidData when it is empty or not a regular file).
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::string_view bytes() const { return {m_data, m_size}; }
    /// Gives back the memory of the pages that lie wholly in a range that has been converted. They are read
    /// again when used again, so this is always safe and only ever costs time.
    void release(std::size_t begin, std::size_t size) const;

  private:
    MappedFile(const char* data, std::size_t size, const std::filesystem::path& path)
        : m_data(data), m_size(size) {
        m_region.emplace(data, size, path);
    }
    const char* m_data;
    std::size_t m_size;
    std::optional<MappedRegion> m_region;
};

}  // namespace reelgrid::safetensors
