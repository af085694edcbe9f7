#pragma once

#include <ATen/ATen.h>

#include <functional>

#include "core/execution/execution.h"

namespace reelgrid::benchmark {

enum class Clock {
    Wall,       ///< on a GPU its own events
    Processor,  ///< of all threads together: for a machine that others use too; the CPU only
};

/// How a kernel tells when its preparation is over: on the CPU by the time that it took, on a GPU by an event
/// (a cudaEvent_t) that it records.
struct Preparation {
    double seconds = 0;
    void* event = nullptr;
};

struct Lap {
    double seconds = 0;
    double preparation = 0;  ///< of those seconds; 0 where the kernel told none
};

/// Times work where it runs.
class Stopwatch {
  public:
    explicit Stopwatch(const execution::Execution& execution, Clock clock = Clock::Wall);

    /// Seconds that the work takes. A GPU's cache is emptied before, as a call between other layers finds it;
    /// that also gives the CPU time to queue the work, so that no launch is waited for.
    [[nodiscard]] double time(const std::function<void()>& work) const;
    /// The same of work that is told where to note its preparation.
    [[nodiscard]] Lap timeParts(const std::function<void(Preparation&)>& work) const;

  private:
    [[nodiscard]] Lap timeOnGpu(const std::function<void(Preparation&)>& work) const;

    execution::Execution m_execution;
    Clock m_clock;
    at::Tensor m_flushed;
};

/// Seconds of wall time since some moment.
double wallSeconds();

}  // namespace reelgrid::benchmark
