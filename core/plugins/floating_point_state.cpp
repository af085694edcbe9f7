#include "core/plugins/floating_point_state.h"

namespace reelgrid::plugins {

FloatingPointState::FloatingPointState(int threads) : m_threads(threads) {
    std::fegetenv(&m_before);
}

FloatingPointState::~FloatingPointState() {
    std::fesetenv(&m_before);
    if (m_threads < 2) return;
#pragma omp parallel num_threads(m_threads)
    std::fesetenv(&m_before);
}

}  // namespace reelgrid::plugins
