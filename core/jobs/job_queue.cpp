#include "core/jobs/job_queue.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "core/jobs/job_ledger.h"
#include "core/jobs/lane.h"
#include "core/jobs/local_transport.h"
#include "core/jobs/queue_settings.h"

namespace reelgrid::jobs {

/// The queue's thread: hands waiting jobs and questions to the lanes, their workers' messages, too, and tells
/// the callback of changes. The lanes belong to it alone.
class JobQueue::Engine {
  public:
    Engine(JobQueueOptions options, Callback callback)
        : m_callback(std::move(callback)),
          m_settings(options.worker.arguments, options.jobTimeout),
          m_jobs(options.capacity, options.history, [this] { m_inbox.put(JobsChanged{}); }) {
        const auto local = std::make_shared<LocalTransport>(options.worker.program);
        const WorkerLimits limits{options.startTimeout, options.cancelTimeout};
        if (options.lanes.empty()) options.lanes.emplace_back();
        for (LaneOptions& lane : options.lanes) {
            if (!lane.transport) lane.transport = local;
            m_lanes.push_back(
                std::make_unique<Lane>(m_lanes.size(), std::move(lane), limits, m_settings, m_jobs, m_inbox));
        }
        m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    ~Engine() {
        m_thread.request_stop();
        m_inbox.put(Shutdown{});
        m_thread.join();
    }

    [[nodiscard]] JobLedger& jobs() { return m_jobs; }
    [[nodiscard]] QueueSettings& settings() { return m_settings; }

    Result<std::string> submit(protocol::RenderRequest request) {
        if (laneFor(request) == nullptr) return noLaneFor(request);
        return m_jobs.submit(std::move(request));
    }

    void forecast(ForecastQuestion question) {
        {
            const std::lock_guard lock(m_mutex);
            m_questions.push_back(std::move(question));
        }
        m_inbox.put(JobsChanged{});
    }

  private:
    /// The first that may render it; null: none. Any thread.
    [[nodiscard]] Lane* laneFor(const protocol::RenderRequest& request) const {
        const auto found =
            std::ranges::find_if(m_lanes, [&](const auto& lane) { return lane->takes(request); });
        return found == m_lanes.end() ? nullptr : found->get();
    }
    static Error noLaneFor(const protocol::RenderRequest& request) {
        return {ErrorCode::Unsupported,
                "--device " + request.device.value_or("") + ": no lane of this queue renders there"};
    }

    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            tellChanges(stop);
            for (const auto& lane : m_lanes) {
                lane->passOnCancellation();
                beginIn(*lane);
            }
            tellChanges(stop);
            askForecasts();
            // Looked at first: a worker that ignores a cancellation may talk on without a pause.
            if (endPatience()) continue;
            if (auto mail = m_inbox.take(firstDeadline()))
                std::visit([this](auto& one) { handle(one); }, *mail);
        }
        for (const auto& lane : m_lanes) lane->end();
    }

    /// Calls back for each change that is waiting, oldest first.
    void tellChanges(const std::stop_token& stop) {
        while (const std::optional<Job> changed = m_jobs.untoldChange()) {
            if (m_callback && !stop.stop_requested()) m_callback(*changed);
            m_jobs.changeTold();
        }
    }

    void beginIn(Lane& lane) {
        if (!lane.isFree()) return;
        lane.renewArguments();
        const auto fits = [&](const protocol::RenderRequest& request) { return lane.takes(request); };
        if (const auto job = m_jobs.beginFirst(fits)) lane.begin(*job);
    }

    void askForecasts() {
        std::vector<ForecastQuestion> questions;
        {
            const std::lock_guard lock(m_mutex);
            questions.swap(m_questions);
        }
        for (ForecastQuestion& question : questions)
            if (Lane* lane = laneFor(question.request))
                lane->ask(std::move(question));
            else
                question.told(noLaneFor(question.request));
        for (const auto& lane : m_lanes) lane->askForecasts();
    }

    /// Whether some worker took too long over something.
    bool endPatience() {
        bool ended = false;
        const auto now = std::chrono::steady_clock::now();
        for (const auto& lane : m_lanes) {
            const Inbox::Deadline deadline = lane->deadline();
            if (!deadline || now < *deadline) continue;
            lane->deadlinePassed();
            ended = true;
        }
        return ended;
    }

    [[nodiscard]] Inbox::Deadline firstDeadline() const {
        Inbox::Deadline first;
        for (const auto& lane : m_lanes)
            if (const auto deadline = lane->deadline(); deadline && (!first || *deadline < *first))
                first = deadline;
        return first;
    }

    void handle(JobsChanged&) {}
    void handle(Shutdown&) {}
    void handle(WorkerSaid& mail) { m_lanes[mail.lane]->take(mail.worker, mail.event); }
    void handle(WorkerExited& mail) { m_lanes[mail.lane]->takeExit(mail.worker, mail.how); }

    const Callback m_callback;
    Inbox m_inbox;
    QueueSettings m_settings;
    JobLedger m_jobs;
    std::mutex m_mutex;  ///< guards m_questions
    std::vector<ForecastQuestion> m_questions;
    std::vector<std::unique_ptr<Lane>> m_lanes;
    std::jthread m_thread;  ///< last: it uses everything above
};

JobQueue::JobQueue(JobQueueOptions options, Callback callback)
    : m_engine(std::make_unique<Engine>(std::move(options), std::move(callback))) {}
JobQueue::~JobQueue() = default;

Result<std::string> JobQueue::submit(protocol::RenderRequest request) {
    return m_engine->submit(std::move(request));
}
Result<void> JobQueue::cancel(const std::string& id) {
    return m_engine->jobs().cancel(id);
}
void JobQueue::cancelAll() {
    for (const Job& job : jobs())
        if (!isFinished(job.state)) (void)cancel(job.id);
}
Result<void> JobQueue::retry(const std::string& id, Begin begin) {
    return m_engine->jobs().retry(id, begin);
}
void JobQueue::forecast(protocol::RenderRequest request, ForecastTold told) {
    m_engine->forecast({std::move(request), std::move(told)});
}
void JobQueue::setWorkerArguments(std::vector<std::string> arguments) {
    m_engine->settings().setArguments(std::move(arguments));
}
void JobQueue::setJobTimeout(std::optional<std::chrono::milliseconds> timeout) {
    m_engine->settings().setJobTimeout(timeout);
}
Result<void> JobQueue::moveTo(const std::string& id, std::size_t place) {
    return m_engine->jobs().moveTo(id, place);
}
std::vector<std::string> JobQueue::waiting() const {
    return m_engine->jobs().waiting();
}
void JobQueue::pause() {
    m_engine->jobs().setPaused(true);
}
void JobQueue::resume() {
    m_engine->jobs().setPaused(false);
}
bool JobQueue::isPaused() const {
    return m_engine->jobs().isPaused();
}
std::vector<Job> JobQueue::jobs() const {
    return m_engine->jobs().jobs();
}
void JobQueue::waitUntilIdle() {
    m_engine->jobs().waitUntilIdle();
}

}  // namespace reelgrid::jobs
