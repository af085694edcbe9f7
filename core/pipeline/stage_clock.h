#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "core/protocol/render_progress.h"
#include "core/result/timing.h"

namespace reelgrid::pipeline {

/// Times the stages of a render, reports progress with an estimate of what is left, and notices cancellation.
class StageClock {
  public:
    StageClock(protocol::ProgressCallback progress, std::stop_token stop);

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
    void report(int done);
    [[nodiscard]] double remainingSeconds(int done) const;

    protocol::ProgressCallback m_progress;
    std::stop_token m_stop;
    Clock::time_point m_jobStart = Clock::now();
    Clock::time_point m_stageStart = Clock::now();
    Clock::time_point m_unitStart = Clock::now();
    std::string m_stage;
    int m_total = 0;
    result::Timing m_timing;
};

}  // namespace reelgrid::pipeline
