#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/jobs/forecasts.h"
#include "core/jobs/inbox.h"
#include "core/jobs/job_ledger.h"
#include "core/jobs/lane_options.h"
#include "core/jobs/queue_settings.h"

namespace reelgrid::jobs {

/// What a lane's worker is at.
enum class WorkerPhase {
    Absent,      ///< there is none
    Starting,    ///< started, not ready yet; its job, if it has one, waits
    Idle,        ///< ready, without a job
    Sent,        ///< has its job, and has not begun with it
    Rendering,   ///< has begun
    Cancelling,  ///< was asked to stop its job
    OutOfTime,   ///< its job took too long: it may say what it was in
};

/// How long a worker may take over what.
struct WorkerLimits {
    std::chrono::milliseconds start{};   ///< from its start to "ready"
    std::chrono::milliseconds cancel{};  ///< from being asked to stop to the job's end
};

/// One worker at a time and the job that it runs: starts it when there is something to do, keeps it between
/// jobs, starts another one after its death. The queue's thread alone.
class Lane {
  public:
    /// `index` is this lane's place in the queue. What is referred to outlives the lane.
    Lane(std::size_t index, LaneOptions options, const WorkerLimits& limits, const QueueSettings& settings,
         JobLedger& jobs, Inbox& inbox);

    /// Why the request can't be rendered here, leaving aside whether the machine is there; nothing: it can.
    /// Any thread.
    [[nodiscard]] std::optional<Error> obstacleTo(const protocol::RenderRequest& request) const;
    [[nodiscard]] bool takes(const protocol::RenderRequest& request) const { return !obstacleTo(request); }
    [[nodiscard]] bool isFree() const { return !m_job; }

    /// Whether its workers run on another machine: one is started before a job is chosen for it, which may
    /// take long or fail, so that no job waits for a machine while another one is free.
    [[nodiscard]] bool isElsewhere() const { return !m_options.transport->machine().empty(); }
    [[nodiscard]] bool isAbsent() const { return m_phase == WorkerPhase::Absent; }
    [[nodiscard]] bool isStarting() const { return m_phase == WorkerPhase::Starting; }
    /// It takes no further job. Any thread.
    void retire() { m_isRetired = true; }
    [[nodiscard]] bool isRetired() const { return m_isRetired; }
    /// Starts a worker without a job.
    void connect();
    /// Why no worker of that machine can be had; nothing: none was missed since the last tryAgain().
    [[nodiscard]] const std::optional<Error>& whyLost() const { return m_whyLost; }
    void tryAgain() { m_whyLost.reset(); }

    /// Begins with a job that runs from now on; only when free.
    void begin(const Job& job);
    /// Where the job was cancelled: asks the worker to stop, once.
    void passOnCancellation();
    /// Ends a worker without a job that was started with other arguments than are wanted now.
    void renewArguments();
    void ask(ForecastQuestion question);
    /// Asks the worker what waits to be asked; starts one where there is none.
    void askForecasts();

    /// From the worker of that number; nothing happens when it is an earlier one.
    void take(std::uint64_t worker, protocol::WorkerEvent& event);
    void takeExit(std::uint64_t worker, const std::string& how);

    /// When the worker's patience ends in its phase.
    [[nodiscard]] Inbox::Deadline deadline() const { return m_deadline; }
    void deadlinePassed();
    /// Ends worker and job.
    void end();

  private:
    struct Assignment {
        std::string id;
        protocol::RenderRequest request;
        /// The worker was there before the job: if it dies before it begins that isn't the job's fault.
        bool workerWasThere = false;
    };

    /// With so many processes, which share each of its renders.
    std::optional<Error> start(std::int64_t ranks);
    [[nodiscard]] std::optional<Error> obstacleToRanks(std::int64_t ranks) const;
    void dismiss();
    void startForJob();
    void sendRender();
    void stop(const std::string& why);
    void workerIsGone(const std::string& why);
    void finish(JobState state, const Error& error = {}, const std::string& clip = {});
    [[nodiscard]] bool isMine(const std::string& job) const { return m_job && m_job->id == job; }
    [[nodiscard]] std::string timeoutText() const;
    void becomeIdle();
    void giveBack(const std::string& why);

    void take(protocol::WorkerReady& event);
    void take(protocol::JobStarted& event);
    void take(protocol::JobProgress& event);
    void take(protocol::JobPreview& event);
    void take(protocol::JobDone& event);
    void take(protocol::JobFailed& event);
    void take(protocol::JobCancelled& event);
    void take(protocol::Forecast& event);

    const std::size_t m_index;
    const LaneOptions m_options;
    const WorkerLimits m_limits;
    const QueueSettings& m_settings;
    JobLedger& m_jobs;
    Inbox& m_inbox;

    WorkerPhase m_phase = WorkerPhase::Absent;
    std::unique_ptr<RunningWorker> m_worker;  ///< null when absent
    std::uint64_t m_number = 0;               ///< of the last worker
    std::uint64_t m_argumentsVersion = 0;     ///< that it was started with
    std::int64_t m_ranks = 1;                 ///< likewise
    std::optional<Assignment> m_job;
    QueueSettings::Timeout m_timeout;  ///< of the job that the worker began last
    Inbox::Deadline m_deadline;
    std::optional<Error> m_whyLost;
    std::atomic<bool> m_isRetired = false;
    Forecasts m_forecasts;
};

}  // namespace reelgrid::jobs
