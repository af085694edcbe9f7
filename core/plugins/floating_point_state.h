#pragma once

#include <cfenv>

namespace reelgrid::plugins {

/// How the processor rounds and whether it flushes subnormal numbers, as a plug-in finds it: put back in the
/// calling thread and in OpenMP's when this goes, whatever the plug-in has set (int8 quantisers do). Every
/// later kernel of the process would compute with it.
class FloatingPointState {
  public:
    /// `threads`: how many of OpenMP's threads the plug-in may have used, 1: none beside this one.
    explicit FloatingPointState(int threads);
    FloatingPointState(const FloatingPointState&) = delete;
    FloatingPointState& operator=(const FloatingPointState&) = delete;
    ~FloatingPointState();

  private:
    int m_threads;
    std::fenv_t m_before{};
};

}  // namespace reelgrid::plugins
