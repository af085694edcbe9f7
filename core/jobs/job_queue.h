#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/jobs/forecasts.h"
#include "core/jobs/job.h"
#include "core/jobs/lane_options.h"
#include "core/jobs/worker_process.h"

namespace reelgrid::jobs {

struct JobQueueOptions {
    WorkerCommandLine worker;                        ///< an empty program: findWorkerProgram()
    std::vector<LaneOptions> lanes{LaneOptions{}};   ///< how many jobs run at once, and where; at least one
    std::size_t capacity = 64;                       ///< jobs that may wait
    std::size_t history = 256;                       ///< finished jobs that are remembered
    std::chrono::milliseconds startTimeout{60000};   ///< from starting the worker to its "ready"
    std::chrono::milliseconds cancelTimeout{20000};  ///< from cancelling to killing a worker that goes on
    /// From the worker's beginning with a job to its end; absent: as long as it takes.
    std::optional<std::chrono::milliseconds> jobTimeout{};
};

/// Renders requests, one at a time in each lane's worker process, which stays warm between jobs and is
/// started again after its death. A job runs in the first free lane that may render on its device. Has its
/// own thread; every public function may be called from any thread, except the destructor from within the
/// callback.
class JobQueue {
  public:
    /// Told about every change of a job (state, progress), on the queue's thread with no lock held, so it may
    /// call the queue (but not waitUntilIdle()). The destructor waits for a call that is under way, so a
    /// callback must not wait for the thread that destroys the queue.
    using Callback = std::function<void(const Job&)>;

    JobQueue(JobQueueOptions options, Callback callback);
    /// Kills the workers that run, and waits for all threads. Unfinished jobs end without a callback;
    /// their partial files are removed.
    ~JobQueue();

    /// Puts a job at the end of the queue; returns its id. Unsupported when `capacity` jobs wait already, or
    /// no lane may render on the job's device; BadUsage when the request has a text that isn't UTF-8.
    Result<std::string> submit(protocol::RenderRequest request);
    /// A waiting job is taken out; a running one is asked to stop and its worker killed when it doesn't.
    /// BadUsage when there is no such job or it is finished.
    Result<void> cancel(const std::string& id);
    void cancelAll();
    /// Puts a failed or cancelled job at the end of the queue again, under its id. Where it kept no steps it
    /// begins at the start anyway.
    Result<void> retry(const std::string& id, Begin begin);

    /// Asks the worker of the first lane that may render it what a request would take, beside whatever it
    /// renders; starts one where none runs. `told` is called on the queue's thread with no lock held; not at
    /// all where the queue ends before. A worker that dies first, or none that starts, is an error.
    using ForecastTold = jobs::ForecastTold;
    void forecast(protocol::RenderRequest request, ForecastTold told);

    /// What workers are started with from now on; a warm one ends before its next job.
    void setWorkerArguments(std::vector<std::string> arguments);

    /// Where jobs run from now on; those that run already end where they are.
    void setLanes(std::vector<LaneOptions> lanes);

    /// Of jobs that begin from now on; absent: as long as they take.
    void setJobTimeout(std::optional<std::chrono::milliseconds> timeout);

    /// Puts a waiting job at this place among those that wait, 0 being the next to run. BadUsage when there
    /// is no such job or it doesn't wait.
    Result<void> moveTo(const std::string& id, std::size_t place);
    /// The ids of those that wait, the next to run first.
    [[nodiscard]] std::vector<std::string> waiting() const;

    /// No further job starts; those that run go on.
    void pause();
    void resume();
    [[nodiscard]] bool isPaused() const;

    /// Every job that is known, in the order of submission.
    [[nodiscard]] std::vector<Job> jobs() const;
    /// Returns when no job waits or runs; in a paused queue those that wait don't end.
    void waitUntilIdle();

  private:
    class Engine;
    std::unique_ptr<Engine> m_engine;
};

}  // namespace reelgrid::jobs
