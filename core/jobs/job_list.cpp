#include "core/jobs/job_list.h"

#include <algorithm>

namespace reelgrid::jobs {

Result<void> JobList::checkRoom() const {
    const auto waiting = std::count_if(m_jobs.begin(), m_jobs.end(),
                                       [](const Job& job) { return job.state == JobState::Queued; });
    if (std::size_t(waiting) < m_capacity) return {};
    return Error{ErrorCode::Unsupported, "the queue is full: " + std::to_string(waiting) +
                                             " jobs wait, at most " + std::to_string(m_capacity) + " may"};
}

void JobList::forgetOldest() {
    const auto finished = [](const Job& job) { return isFinished(job.state); };
    const auto count = std::size_t(std::count_if(m_jobs.begin(), m_jobs.end(), finished));
    if (count <= m_history) return;
    // Those that nobody can try again first.
    auto oldest = std::ranges::find(m_jobs, JobState::Done, &Job::state);
    if (oldest == m_jobs.end()) oldest = std::find_if(m_jobs.begin(), m_jobs.end(), finished);
    m_turns.erase(oldest->id);
    m_jobs.erase(oldest);
}

Result<Job> JobList::add(protocol::RenderRequest request) {
    if (auto room = checkRoom(); !room) return room.error();
    forgetOldest();
    Job job;
    job.id = "job-" + std::to_string(m_nextId++);
    job.request = std::move(request);
    m_turns[job.id] = m_nextTurn++;
    m_jobs.push_back(job);
    return job;
}

Result<Job> JobList::requeue(const std::string& id, Begin begin) {
    const auto found = known(id);
    if (!found) return found.error();
    Job* job = *found;
    if (job->state != JobState::Failed && job->state != JobState::Cancelled)
        return Error{ErrorCode::BadUsage, "job " + id + " is " + nameOf(job->state) +
                                              ": only a failed or cancelled one can be retried"};
    if (auto room = checkRoom(); !room) return room.error();
    job->state = JobState::Queued;
    job->request.resume = begin == Begin::AtKeptStep;
    job->progress = {};
    job->error = {};
    job->stepsKept = job->steps = 0;
    job->cancelling = false;
    job->machine.clear();
    job->givenBack.clear();
    ++job->attempt;
    m_turns[id] = m_nextTurn++;
    return *job;
}

Result<Job> JobList::cancel(const std::string& id) {
    const auto found = known(id);
    if (!found) return found.error();
    Job* job = *found;
    if (isFinished(job->state))
        return Error{ErrorCode::BadUsage, "job " + id + " is " + nameOf(job->state) + " already"};
    if (job->state == JobState::Queued)
        job->state = JobState::Cancelled;
    else
        job->cancelling = true;
    return *job;
}

std::vector<std::string> JobList::waiting() const {
    std::vector<std::string> ids;
    for (const Job& job : m_jobs)
        if (job.state == JobState::Queued) ids.push_back(job.id);
    std::ranges::sort(ids, {}, [this](const std::string& id) { return m_turns.at(id); });
    return ids;
}

Result<Job> JobList::moveTo(const std::string& id, std::size_t place) {
    const auto found = known(id);
    if (!found) return found.error();
    Job* job = *found;
    if (job->state != JobState::Queued)
        return Error{ErrorCode::BadUsage,
                     "job " + id + " is " + nameOf(job->state) + ": only a waiting one can be moved"};
    std::vector<std::string> order = waiting();
    std::vector<std::uint64_t> turns;
    for (const std::string& each : order) turns.push_back(m_turns[each]);
    std::erase(order, id);
    order.insert(order.begin() + std::ptrdiff_t(std::min(place, order.size())), id);
    for (std::size_t i = 0; i < order.size(); ++i) m_turns[order[i]] = turns[i];
    return *job;
}

Job* JobList::find(const std::string& id) {
    const auto found =
        std::find_if(m_jobs.begin(), m_jobs.end(), [&](const Job& job) { return job.id == id; });
    return found == m_jobs.end() ? nullptr : &*found;
}

Result<Job*> JobList::known(const std::string& id) {
    if (Job* job = find(id)) return job;
    return Error{ErrorCode::BadUsage, "job " + id + ": there is no such job"};
}

Job* JobList::firstQueued(const std::function<bool(const protocol::RenderRequest&)>& fits) {
    Job* first = nullptr;
    for (Job& job : m_jobs)
        if (job.state == JobState::Queued && fits(job.request) &&
            (first == nullptr || m_turns[job.id] < m_turns[first->id]))
            first = &job;
    return first;
}

bool JobList::idle() const {
    return std::all_of(m_jobs.begin(), m_jobs.end(), [](const Job& job) { return isFinished(job.state); });
}

}  // namespace reelgrid::jobs
