#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace reelgrid::kernels::cpu {

/// Memory for one purpose, kept by the calling thread between calls: fresh pages from the system would cost a
/// short call a tenth of its time. Large ones are given back after the call.
class Workspace {
  public:
    static constexpr std::size_t kKeptBytes = std::size_t{16} << 20;

    /// Room for `count` elements, 64-byte aligned, until the next take().
    template <class T>
    T* take(std::int64_t count) {
        const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T);
        if (bytes > m_bytes) {
            m_memory.reset();
            m_bytes = 0;
            m_memory.reset(::operator new (bytes, std::align_val_t{64}));
            m_bytes = bytes;
        }
        return static_cast<T*>(m_memory.get());
    }
    void giveBackIfLarge() {
        if (m_bytes <= kKeptBytes) return;
        m_memory.reset();
        m_bytes = 0;
    }

  private:
    struct FreeAligned {
        void operator()(void* p) const { ::operator delete (p, std::align_val_t{64}); }
    };
    std::unique_ptr<void, FreeAligned> m_memory;
    std::size_t m_bytes = 0;
};

}  // namespace reelgrid::kernels::cpu
