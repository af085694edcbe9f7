#pragma once

#include <c10/core/Event.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/denoising/step_part_clock.h"
#include "core/execution/execution.h"
#include "core/execution/part_clock.h"
#include "core/protocol/render_progress.h"
#include "core/result/timing.h"

namespace reelgrid::denoising {

/// Where a render is: `done` of `total` units of a stage are finished, 0 when it begins. An empty stage: one
/// has ended, and none has begun.
struct StageMoment {
    std::string stage;
    int done = 0;
    int total = 0;
};

/// What a forward pass of a denoising step did: run its blocks, or have a cache stand for them.
enum class PassWork { Whole, Skipped };

/// Sees every moment of a render go by.
class StageWatcher {
  public:
    virtual ~StageWatcher() = default;
    /// Whether it will do more at this moment than look: the device has to have finished first.
    [[nodiscard]] virtual bool actsAt(const StageMoment& moment) const = 0;
    virtual void at(const StageMoment& moment) = 0;
};

/// Times the stages of a render, reports progress with an estimate of what is left, and notices cancellation.
class StageClock {
  public:
    /// Times end when the execution's device has done what was asked of it. On a GPU the units of a stage are
    /// timed by its own events and one unit may be queued ahead, so that the clock never keeps it waiting.
    StageClock(protocol::ProgressCallback progress, std::stop_token stop,
               execution::Execution execution = {});

    /// What the watcher does from now on is the stage "profile", and no part of any other; null: nobody
    /// watches. The watcher has to outlive the clock's last call.
    void setWatcher(StageWatcher* watcher) { m_watcher = watcher; }

    /// Starts a stage of `total` units, ending the one before. The first `done` were done by an earlier
    /// process.
    void begin(const std::string& stage, int total, int done = 0);
    /// `done` units of the stage are finished. Throws Failure(Cancelled) when a stop was requested.
    void advance(int done);
    /// Does what belongs to `stage` in the midst of the one that runs: its time is taken out of that one's,
    /// and out of the unit's.
    void aside(const std::string& stage, const std::function<void()>& work);
    /// A pass of the step that runs, of a loop that may skip some.
    void countPass(PassWork work);
    /// What a pass that recorded found out (--step-cache record).
    void noteChange(const result::StepChange& change) { m_timing.changes.push_back(change); }
    /// What an earlier process took for the first steps of the loop that comes: told once, before begin().
    void setEarlier(result::Timing earlier) { m_earlier = std::move(earlier); }
    /// The times of the steps until now with those of an earlier process, for a later one; only within
    /// aside().
    [[nodiscard]] result::Timing stepsUntilNow();
    /// Ends the last stage.
    void end();
    /// Of several ranks: the slowest one's times of the steps and stages that have ended are all ranks'.
    /// Called by all of them between two stages.
    void shareSlowest();

    /// Told by layers what a denoising step's time goes into.
    [[nodiscard]] execution::PartClock& parts() { return m_parts; }

    /// Starts a new repetition: timings start from nothing, what was learnt for the estimate stays.
    void startRepetition();
    /// Ends the last stage and the repetition: its timing, with the wall time and what no stage took of it.
    [[nodiscard]] result::Timing finishRepetition();

    /// Where the render runs.
    [[nodiscard]] const execution::Execution& execution() const { return m_execution; }
    /// Of this repetition, as far as its stages have ended.
    [[nodiscard]] result::Timing timing() const { return m_timing.complete(); }
    [[nodiscard]] std::stop_token stopToken() const { return m_stop; }
    /// Throws Failure(Cancelled) when a stop was requested.
    void checkStop() const;

  private:
    using Clock = std::chrono::steady_clock;
    /// A moment of a GPU: it ends a unit, or what lies before it is nobody's.
    struct Mark {
        c10::Event event;
        bool endsUnit;
    };
    [[nodiscard]] Clock::time_point now() const;
    [[nodiscard]] bool isDenoising() const;
    void mark(bool endsUnit);
    void takeStepsOfMarks();
    void letWatch(int done);
    void leaveOut(const std::string& stage, Clock::time_point from, Clock::time_point to);
    [[nodiscard]] std::string moment(int done) const;
    void report(int done);
    [[nodiscard]] double remainingSeconds(int done) const;

    protocol::ProgressCallback m_progress;
    std::stop_token m_stop;
    execution::Execution m_execution;
    StageWatcher* m_watcher = nullptr;
    StepPartClock m_parts;
    Clock::time_point m_jobStart = Clock::now();
    Clock::time_point m_repetitionStart = m_jobStart;
    Clock::time_point m_stageStart = m_jobStart;
    Clock::time_point m_unitStart = m_jobStart;
    std::string m_stage;
    bool m_measuresPeak = false;  ///< of the stage that runs
    int m_total = 0;
    int m_doneBefore = 0;                        ///< units of the stage that an earlier process did
    std::optional<result::StepPasses> m_passes;  ///< of the step that runs
    result::Timing m_earlier;
    result::Timing m_timing;
    std::vector<Mark> m_marks;
};

}  // namespace reelgrid::denoising
