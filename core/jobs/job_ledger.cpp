#include "core/jobs/job_ledger.h"

#include <utility>

namespace reelgrid::jobs {
namespace {

Result<void> withoutValue(const Result<std::string>& result) {
    if (!result) return result.error();
    return {};
}

}  // namespace

/// Makes a change to the jobs and has the queue's thread tell about it.
Result<std::string> JobLedger::note(const std::function<Result<Job>()>& change) {
    std::string id;
    {
        const std::lock_guard lock(m_mutex);
        Result<Job> changed = change();
        if (!changed) return changed.error();
        id = changed->id;
        m_changes.push_back(*std::move(changed));
    }
    m_wake();
    return id;
}

Result<std::string> JobLedger::submit(protocol::RenderRequest request) {
    return note([&] { return m_jobs.add(std::move(request)); });
}

Result<void> JobLedger::retry(const std::string& id, Begin begin) {
    return withoutValue(note([&] { return m_jobs.requeue(id, begin); }));
}

Result<void> JobLedger::cancel(const std::string& id) {
    return withoutValue(note([&] { return m_jobs.cancel(id); }));
}

Result<void> JobLedger::moveTo(const std::string& id, std::size_t place) {
    return withoutValue(note([&] { return m_jobs.moveTo(id, place); }));
}

std::vector<std::string> JobLedger::waiting() const {
    const std::lock_guard lock(m_mutex);
    return m_jobs.waiting();
}

std::vector<Job> JobLedger::jobs() const {
    const std::lock_guard lock(m_mutex);
    return m_jobs.all();
}

void JobLedger::setPaused(bool paused) {
    {
        const std::lock_guard lock(m_mutex);
        m_paused = paused;
    }
    m_wake();
}

bool JobLedger::isPaused() const {
    const std::lock_guard lock(m_mutex);
    return m_paused;
}

void JobLedger::waitUntilIdle() {
    std::unique_lock lock(m_mutex);
    m_idle.wait(lock, [this] { return m_jobs.idle() && m_changes.empty(); });
}

std::optional<Job> JobLedger::untoldChange() const {
    const std::lock_guard lock(m_mutex);
    if (m_changes.empty()) return std::nullopt;
    return m_changes.front();
}

void JobLedger::changeTold() {
    const std::lock_guard lock(m_mutex);
    m_changes.pop_front();
    if (m_changes.empty() && m_jobs.idle()) m_idle.notify_all();
}

std::optional<Job> JobLedger::beginFirst(const std::function<bool(const protocol::RenderRequest&)>& fits) {
    const std::lock_guard lock(m_mutex);
    if (m_paused) return std::nullopt;
    Job* job = m_jobs.firstQueued(fits);
    if (job == nullptr) return std::nullopt;
    job->state = JobState::Running;
    m_changes.push_back(*job);
    return *job;
}

bool JobLedger::isWaitingFor(const std::function<bool(const protocol::RenderRequest&)>& fits) {
    const std::lock_guard lock(m_mutex);
    return !m_paused && m_jobs.firstQueued(fits) != nullptr;
}

void JobLedger::failWaiting(
    const std::function<std::optional<Error>(const protocol::RenderRequest&)>& obstacle) {
    const std::lock_guard lock(m_mutex);
    for (const std::string& id : m_jobs.waiting()) {
        Job* job = m_jobs.find(id);
        const auto error = obstacle(job->request);
        if (!error) continue;
        job->state = JobState::Failed;
        job->error = *error;
        m_changes.push_back(*job);
    }
}

void JobLedger::change(const std::string& id, const std::function<void(Job&)>& apply) {
    const std::lock_guard lock(m_mutex);
    Job* job = m_jobs.find(id);
    if (job == nullptr) return;
    apply(*job);
    m_changes.push_back(*job);
}

bool JobLedger::isCancelling(const std::string& id) {
    const std::lock_guard lock(m_mutex);
    const Job* job = m_jobs.find(id);
    return job != nullptr && job->cancelling;
}

}  // namespace reelgrid::jobs
