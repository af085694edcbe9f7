#pragma once

#include <c10/core/Event.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "core/execution/execution.h"
#include "core/protocol/render_progress.h"
#include "core/result/timing.h"

namespace reelgrid::pipeline {

/// Times the stages of a render, reports progress with an estimate of what is left, and notices cancellation.
class StageClock {
  public:
    /// Times end when the execution's device has done what was asked of it. On a GPU the units of a stage are
    /// timed by its own events and one unit may be queued ahead, so that the clock never keeps it waiting.
    StageClock(protocol::ProgressCallback progress, std::stop_token stop,
               execution::Execution execution = {});

    /// Starts a stage of `total` units, ending the one before.
    void begin(const std::string& stage, int total);
    /// `done` units of the stage are finished. Throws Failure(Cancelled) when a stop was requested.
    void advance(int done);
    /// Ends the last stage.
    void end();

    /// Starts a new repetition: timings start from nothing, what was learnt for the estimate stays.
    void startRepetition();

    /// Of this repetition, as far as its stages have ended.
    [[nodiscard]] result::Timing timing() const { return m_timing.complete(); }
    [[nodiscard]] std::stop_token stopToken() const { return m_stop; }
    /// Throws Failure(Cancelled) when a stop was requested.
    void checkStop() const;

  private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] Clock::time_point now() const;
    void markUnit();
    void takeStepsOfMarks();
    void report(int done);
    [[nodiscard]] double remainingSeconds(int done) const;

    protocol::ProgressCallback m_progress;
    std::stop_token m_stop;
    execution::Execution m_execution;
    Clock::time_point m_jobStart = Clock::now();
    Clock::time_point m_stageStart = Clock::now();
    Clock::time_point m_unitStart = Clock::now();
    std::string m_stage;
    int m_total = 0;
    result::Timing m_timing;
    std::vector<c10::Event> m_marks;  ///< a GPU's, of the stage's begin and the end of each unit
};

}  // namespace reelgrid::pipeline
