#include "core/vae/memory_walk.h"

#include <algorithm>

namespace reelgrid::vae {
namespace {

/// What glibc's malloc gives back to the system once it is freed: DEFAULT_MMAP_THRESHOLD_MAX, which its
/// threshold reaches as soon as something as large was freed.
constexpr std::int64_t kGivenBack = std::int64_t{32} << 20;

}  // namespace

void MemoryWalk::note(const Pieces& pieces) {
    std::int64_t all = 0, small = 0;
    for (const std::int64_t bytes : pieces) {
        all += bytes;
        if (bytes <= kGivenBack) small += bytes;
    }
    m_mostLive = std::max(m_mostLive, m_held + all);
    m_most = std::max(m_most, m_held + m_kept + all);
    m_smallOfSize = std::max(m_smallOfSize, small);
}

void MemoryWalk::endSize(std::int64_t bytes) {
    const std::int64_t lives = bytes <= kGivenBack ? bytes : 0;
    if (m_freed == Freed::Kept) m_kept += std::max<std::int64_t>(0, m_smallOfSize - lives);
    m_smallOfSize = 0;
}

}  // namespace reelgrid::vae
