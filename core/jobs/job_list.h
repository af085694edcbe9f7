#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/jobs/job.h"

namespace reelgrid::jobs {

/// The jobs of a queue and the rules of their states. Not thread-safe: the queue guards it.
class JobList {
  public:
    JobList(std::size_t capacity, std::size_t history) : m_capacity(capacity), m_history(history) {}

    Result<Job> add(protocol::RenderRequest request);
    /// Failed or cancelled → queued, at the end.
    Result<Job> requeue(const std::string& id, Begin begin);
    /// A waiting job is cancelled; a running one is marked as cancelling. BadUsage when it is finished.
    Result<Job> cancel(const std::string& id);
    /// Puts a waiting job at this place among those that wait, 0 being the next to run; a place beyond the
    /// last is the last.
    Result<Job> moveTo(const std::string& id, std::size_t place);
    /// The ids of those that wait, the next to run first.
    [[nodiscard]] std::vector<std::string> waiting() const;
    /// Null when there is none.
    Job* find(const std::string& id);
    /// The next to run of those that wait and `fits`; null when there is none.
    Job* firstQueued(const std::function<bool(const protocol::RenderRequest&)>& fits);
    [[nodiscard]] bool idle() const;
    [[nodiscard]] const std::vector<Job>& all() const { return m_jobs; }

  private:
    Result<Job*> known(const std::string& id);
    [[nodiscard]] Result<void> checkRoom() const;
    void forgetOldest();

    std::size_t m_capacity;
    std::size_t m_history;
    std::vector<Job> m_jobs;
    std::map<std::string, std::uint64_t> m_turns;  ///< queued jobs by id: lowest first
    std::uint64_t m_nextId = 1;
    std::uint64_t m_nextTurn = 1;
};

}  // namespace reelgrid::jobs
