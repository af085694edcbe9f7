#pragma once

#include <QObject>
#include <map>
#include <memory>

#include "core/jobs/job_queue.h"

namespace reelgrid::studio {

/// The renders of this window, in the worker process, and what has become of each. GUI thread; the queue's
/// callback only posts to it.
class RenderJobs : public QObject {
    Q_OBJECT

  public:
    explicit RenderJobs(QObject* parent = nullptr) : QObject(parent) {}

    void setWorker(const jobs::WorkerCommandLine& worker) { m_worker = worker; }
    /// For workers from now on; one that waits is started anew.
    void setWorkerArguments(const std::vector<std::string>& arguments);
    /// Of renders that begin from now on; nothing: as long as they take.
    void setTimeout(std::optional<std::chrono::milliseconds> timeout);
    /// Where they run from now on.
    void setLanes(const std::vector<jobs::LaneOptions>& lanes);
    /// Returns the job's id.
    Result<std::string> submit(const protocol::RenderRequest& request);
    // A job that is not one of these is somebody else's: nothing happens.
    Result<void> cancel(const std::string& id);
    Result<void> retry(const std::string& id, jobs::Begin begin);
    // As JobQueue's.
    Result<void> moveTo(const std::string& id, std::size_t place) { return queue().moveTo(id, place); }
    [[nodiscard]] std::vector<std::string> waiting() { return queue().waiting(); }
    /// What a request would take. `told` is called on the GUI thread, as long as this is there.
    void forecast(const protocol::RenderRequest& request, jobs::JobQueue::ForecastTold told);
    void setPaused(bool paused) { paused ? queue().pause() : queue().resume(); }

    /// It is none of these any more.
    void forget(const std::string& id);

    /// As last heard of it; null when it is none of these.
    [[nodiscard]] const jobs::Job* find(const std::string& id) const;
    [[nodiscard]] bool allFinished() const;
    /// Whether one of these makes this clip, or has made it.
    [[nodiscard]] bool makes(const std::filesystem::path& clip) const;
    /// What is known of a job, for a person to read; empty when it is none of these.
    [[nodiscard]] QString logOf(const std::string& id) const;

  Q_SIGNALS:
    void changed(const reelgrid::jobs::Job& before, const reelgrid::jobs::Job& now);

  private:
    jobs::JobQueue& queue();
    void follow(const jobs::Job& job);

    jobs::WorkerCommandLine m_worker;
    std::optional<std::chrono::milliseconds> m_timeout;
    std::vector<jobs::LaneOptions> m_lanes{jobs::LaneOptions{}};
    std::map<std::string, jobs::Job> m_jobs;
    std::map<std::string, std::string> m_events;  // stages passed, for the log
    std::unique_ptr<jobs::JobQueue> m_queue;      // last: its callback uses the rest
};

}  // namespace reelgrid::studio
