#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace reelgrid::kernels::cpu {

/// Memory for one purpose, kept by the calling thread between calls: fresh pages from the system would cost a
/// short call a tenth of its time. Large ones are given back after the call; they lie in huge pages where the
/// system has any, since long heads are walked again for every few queries.
class Workspace {
  public:
    static constexpr std::size_t kKeptBytes = std::size_t{16} << 20;
    static constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

    /// Room for `count` elements, 64-byte aligned, until the next take().
    template <class T>
    T* take(std::int64_t count) {
        const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T);
        if (bytes > m_bytes) {
            m_memory.reset();
            m_bytes = 0;
            allocate(bytes);
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
        FreeAligned() : alignment{64} {}
        explicit FreeAligned(std::align_val_t of) : alignment(of) {}
        std::align_val_t alignment;
        void operator()(void* p) const { ::operator delete(p, alignment); }
    };
    void allocate(std::size_t bytes) {
        const bool huge = bytes >= kHugePageBytes;
        const std::align_val_t alignment{huge ? kHugePageBytes : 64};
        if (huge) bytes = (bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
        m_memory = {::operator new(bytes, alignment), FreeAligned{alignment}};
        m_bytes = bytes;
#ifdef __linux__
        if (huge) (void)madvise(m_memory.get(), bytes, MADV_HUGEPAGE);  // a wish
#endif
    }

    std::unique_ptr<void, FreeAligned> m_memory;
    std::size_t m_bytes = 0;
};

}  // namespace reelgrid::kernels::cpu
