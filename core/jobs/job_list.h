#pragma once

#include <cstdint>
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
    /// Puts a waiting job at this place among those that wait, 0 being the next to run; a place beyond the
    /// last is the last.
    Result<Job> moveTo(const std::string& id, std::size_t place);
    /// The ids of those that wait, the next to run first.
    [[nodiscard]] std::vector<std::string> waiting() const;
    /// Null when there is none.
    Job* find(const std::string& id);
    /// The queued job that has waited longest.
    Job* firstQueued();
    [[nodiscard]] bool idle() const;
    [[nodiscard]] const std::vector<Job>& all() const { return m_jobs; }

  private:
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
