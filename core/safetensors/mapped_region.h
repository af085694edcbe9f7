#pragma once

#include <cstddef>
#include <filesystem>

namespace reelgrid::safetensors {

/// While it lives, a touch of these bytes that the system has no page for (the file was cut short meanwhile,
/// or its disk fails: SIGBUS) ends the process with one line that names the file, and exit code 1.
class MappedRegion {
  public:
    MappedRegion(const void* begin, std::size_t size, const std::filesystem::path& file);
    MappedRegion(const MappedRegion&) = delete;
    MappedRegion& operator=(const MappedRegion&) = delete;
    ~MappedRegion();

  private:
    int m_place;  // −1: there are more regions than are looked after
};

}  // namespace reelgrid::safetensors
