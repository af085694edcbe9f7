#pragma once

#include <cstdint>

namespace reelgrid::kernels::cuda::device {

/// Hands out the parts of a call's workspace, 256 bytes aligned. Over a null pointer it only counts: the same
/// function lays the parts out and says how many bytes they need.
class WorkspaceParts {
  public:
    explicit WorkspaceParts(void* workspace) : m_begin(static_cast<char*>(workspace)) {}

    template <class T>
    T* take(std::int64_t count) {
        char* const part = m_begin == nullptr ? nullptr : m_begin + m_bytes;
        m_bytes += (count * static_cast<std::int64_t>(sizeof(T)) + 255) / 256 * 256;
        return reinterpret_cast<T*>(part);
    }
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

  private:
    char* m_begin;
    std::int64_t m_bytes = 0;
};

}  // namespace reelgrid::kernels::cuda::device
