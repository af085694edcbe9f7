#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs/job_list.h"

namespace reelgrid::jobs {

/// The jobs of a queue, and their changes until the callback has been told. Any thread unless said otherwise.
class JobLedger {
  public:
    /// `wake` is called, with no lock held, when the queue's thread has something to do.
    JobLedger(std::size_t capacity, std::size_t history, std::function<void()> wake)
        : m_wake(std::move(wake)), m_jobs(capacity, history) {}

    // As JobQueue's functions of these names.
    Result<std::string> submit(protocol::RenderRequest request);
    Result<void> retry(const std::string& id, Begin begin);
    Result<void> cancel(const std::string& id);
    Result<void> moveTo(const std::string& id, std::size_t place);
    [[nodiscard]] std::vector<std::string> waiting() const;
    [[nodiscard]] std::vector<Job> jobs() const;
    void setPaused(bool paused);
    [[nodiscard]] bool isPaused() const;
    void waitUntilIdle();

    // The queue's thread alone:
    /// The oldest change that was not told yet. It counts as untold until changeTold().
    [[nodiscard]] std::optional<Job> untoldChange() const;
    void changeTold();
    /// Makes the first waiting job that `fits` run; nothing where there is none or the queue is paused.
    std::optional<Job> beginFirst(const std::function<bool(const protocol::RenderRequest&)>& fits);
    /// Whether it would make one run.
    [[nodiscard]] bool isWaitingFor(const std::function<bool(const protocol::RenderRequest&)>& fits);
    /// Ends the waiting jobs for which `obstacle` gives an error.
    void failWaiting(const std::function<std::optional<Error>(const protocol::RenderRequest&)>& obstacle);
    /// Changes a job, if it is still known.
    void change(const std::string& id, const std::function<void(Job&)>& apply);
    /// Whether a running job was asked to stop.
    [[nodiscard]] bool isCancelling(const std::string& id);

  private:
    Result<std::string> note(const std::function<Result<Job>()>& change);

    std::function<void()> m_wake;
    mutable std::mutex m_mutex;  ///< guards everything below
    std::condition_variable m_idle;
    JobList m_jobs;
    std::deque<Job> m_changes;  ///< not told to the callback yet
    bool m_paused = false;
};

}  // namespace reelgrid::jobs
