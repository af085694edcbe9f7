#include "app/studio/render_jobs.h"

#include <QDateTime>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace reelgrid::studio {

using jobs::Job;

namespace {
// A matrix of prompts, seeds, models and backends is long before anybody minds.
constexpr std::size_t kMostWaiting = 2000;
}  // namespace

jobs::JobQueue& RenderJobs::queue() {
    if (!m_queue) {
        jobs::JobQueueOptions options;
        options.worker = m_worker;
        options.lanes = m_lanes;
        options.capacity = kMostWaiting;
        options.jobTimeout = m_timeout;
        m_queue = std::make_unique<jobs::JobQueue>(options, [this](const Job& job) {
            QMetaObject::invokeMethod(
                this, [this, job] { follow(job); }, Qt::QueuedConnection);
        });
    }
    return *m_queue;
}

void RenderJobs::setWorkerArguments(const std::vector<std::string>& arguments) {
    m_worker.arguments = arguments;
    if (m_queue) m_queue->setWorkerArguments(arguments);
}

void RenderJobs::setTimeout(std::optional<std::chrono::milliseconds> timeout) {
    m_timeout = timeout;
    if (m_queue) m_queue->setJobTimeout(timeout);
}

void RenderJobs::setLanes(const std::vector<jobs::LaneOptions>& lanes) {
    m_lanes = lanes;
    if (m_queue) m_queue->setLanes(lanes);
}

Result<std::string> RenderJobs::submit(const protocol::RenderRequest& request) {
    auto id = queue().submit(request);
    if (!id) return id;
    Job job;
    job.id = *id;
    job.request = request;
    m_jobs.emplace(*id, std::move(job));
    return id;
}

Result<void> RenderJobs::cancel(const std::string& id) {
    return m_jobs.contains(id) ? queue().cancel(id) : Result<void>();
}

Result<void> RenderJobs::retry(const std::string& id, jobs::Begin begin) {
    return m_jobs.contains(id) ? queue().retry(id, begin) : Result<void>();
}

void RenderJobs::forget(const std::string& id) {
    m_jobs.erase(id);
    m_events.erase(id);
}

void RenderJobs::forecast(const protocol::RenderRequest& request, jobs::JobQueue::ForecastTold told) {
    queue().forecast(request, [this, told = std::move(told)](const auto& forecast) {
        QMetaObject::invokeMethod(
            this, [told, forecast] { told(forecast); }, Qt::QueuedConnection);
    });
}

const Job* RenderJobs::find(const std::string& id) const {
    const auto known = m_jobs.find(id);
    return known == m_jobs.end() ? nullptr : &known->second;
}

bool RenderJobs::allFinished() const {
    return std::ranges::all_of(m_jobs, [](const auto& entry) { return isFinished(entry.second.state); });
}

bool RenderJobs::makes(const std::filesystem::path& clip) const {
    return std::ranges::any_of(m_jobs,
                               [&](const auto& entry) { return entry.second.request.output == clip; });
}

void RenderJobs::follow(const Job& job) {
    const auto known = m_jobs.find(job.id);
    if (known == m_jobs.end()) return;
    const Job before = std::exchange(known->second, job);
    if (job.progress.stage != before.progress.stage || job.state != before.state)
        m_events[job.id] += QDateTime::currentDateTime().toString("HH:mm:ss  ").toStdString() +
                            nameOf(job.state) + " " + job.progress.stage + "\n";
    Q_EMIT changed(before, job);
}

QString RenderJobs::logOf(const std::string& id) const {
    const Job* job = find(id);
    if (job == nullptr) return {};
    std::string log =
        "job " + id + ", " + nameOf(job->state) + ", attempt " + std::to_string(job->attempt) + "\n";
    if (job->state == jobs::JobState::Failed) log += "error: " + job->error.message + "\n";
    if (!job->machine.empty()) log += "machine: " + job->machine + "\n";
    if (!job->givenBack.empty()) log += "given back: " + job->givenBack + "\n";
    log += "clip: " + job->request.output + "\n\n";
    if (const auto events = m_events.find(id); events != m_events.end()) log += events->second + "\n";
    return QString::fromStdString(log + protocol::toJson(job->request).dump(2));
}

}  // namespace reelgrid::studio
