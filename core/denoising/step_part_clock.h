#pragma once

#include <c10/core/Event.h>

#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "core/execution/execution.h"
#include "core/execution/part_clock.h"
#include "core/result/timing.h"

namespace reelgrid::denoising {

/// What each denoising step's time goes into. On the CPU the clock is read at each change of part, in every
/// step. On a GPU an event is queued there, which costs a small model some percent of a step: every eighth
/// step is measured, from the second on, and nothing waits before the stage's end.
class StepPartClock final : public execution::PartClock {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr int kGpuSampling = 8, kFirstSampled = 1;

    explicit StepPartClock(const execution::Execution& execution) : m_execution(execution) {}

    execution::Part switchTo(execution::Part part) override;

    /// The first step of a stage, or the next, begins now.
    void beginStep(Clock::time_point now);
    /// The last so much time was no part of the step. On a GPU the step isn't measured then.
    void leaveOut(Clock::duration time);
    /// The step ends. Only what lies between beginStep() and here is counted.
    void endStep(Clock::time_point now);
    /// One entry a step that ended since the last call; all events have to have happened. None when no
    /// model said what it was doing.
    [[nodiscard]] std::vector<result::StepParts> take();

  private:
    using Seconds = std::array<double, execution::kPartCount>;
    struct Mark {
        execution::Part before;  ///< what ran until this event
        c10::Event event;
    };
    /// What is known of one step: seconds on the CPU, events on a GPU.
    struct Step {
        bool wasTold = false;         ///< somebody said what ran
        bool wasInterrupted = false;  ///< on a GPU: what its events say is not the step's alone
        Seconds seconds{};
        std::vector<Mark> marks;
    };
    [[nodiscard]] bool onGpu() const { return !m_execution.device.is_cpu(); }
    [[nodiscard]] bool isMeasured() const;
    void count(Clock::time_point now);
    [[nodiscard]] result::StepParts partsOf(const Step& step) const;

    execution::Execution m_execution;
    bool m_inStep = false;
    execution::Part m_part = execution::Part::Other;
    Clock::time_point m_since{};
    std::vector<Step> m_steps;
};

}  // namespace reelgrid::denoising
