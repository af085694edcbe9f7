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
        m_local = std::make_shared<LocalTransport>(options.worker.program);
        m_limits = {options.startTimeout, options.cancelTimeout};
        addLanes(std::move(options.lanes));
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
        if (laneFor(request) == nullptr) return whyNoneTakes(request);
        auto id = m_jobs.submit(std::move(request));
        m_inbox.put(LanesAskedAgain{});
        return id;
    }
    Result<void> retry(const std::string& id, Begin begin) {
        auto done = m_jobs.retry(id, begin);
        m_inbox.put(LanesAskedAgain{});
        return done;
    }
    void setLanes(std::vector<LaneOptions> wanted) {
        for (const auto& lane : lanes()) lane->retire();
        addLanes(std::move(wanted));
        m_inbox.put(LanesAskedAgain{});
    }

    void forecast(ForecastQuestion question) {
        {
            const std::lock_guard lock(m_mutex);
            m_questions.push_back(std::move(question));
        }
        m_inbox.put(JobsChanged{});
    }

  private:
    void addLanes(std::vector<LaneOptions> wanted) {
        if (wanted.empty()) wanted.emplace_back();
        const std::lock_guard lock(m_mutex);
        for (LaneOptions& lane : wanted) {
            if (!lane.transport) lane.transport = m_local;
            m_lanes.push_back(std::make_shared<Lane>(m_lanes.size(), std::move(lane), m_limits, m_settings,
                                                     m_jobs, m_inbox));
        }
    }
    /// Those that were retired, too. Any thread.
    [[nodiscard]] std::vector<std::shared_ptr<Lane>> lanes() const {
        const std::lock_guard lock(m_mutex);
        return m_lanes;
    }
    /// The first that may render it; null: none. Any thread.
    [[nodiscard]] std::shared_ptr<Lane> laneFor(const protocol::RenderRequest& request) const {
        for (const auto& lane : lanes())
            if (lane->takes(request)) return lane;
        return nullptr;
    }
    /// Why no lane renders it, in one line. Any thread.
    [[nodiscard]] Error whyNoneTakes(const protocol::RenderRequest& request) const {
        Error why{ErrorCode::Unsupported, ""};
        for (const auto& lane : lanes())
            if (auto obstacle = lane->obstacleTo(request);
                obstacle && !lane->isRetired() && why.message.find(obstacle->message) == std::string::npos)
                why.message += (why.message.empty() ? "" : "; ") + obstacle->message;
        return why;
    }

    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            tellChanges(stop);
            for (const auto& lane : lanes()) {
                lane->passOnCancellation();
                beginIn(*lane);
            }
            if (std::ranges::any_of(lanes(), [](const auto& lane) { return lane->isElsewhere(); }))
                m_jobs.failWaiting([this](const auto& request) { return whyNobodyWill(request); });
            tellChanges(stop);
            askForecasts();
            // Looked at first: a worker that ignores a cancellation may talk on without a pause.
            if (endPatience()) continue;
            if (auto mail = m_inbox.take(firstDeadline()))
                std::visit([this](auto& one) { handle(one); }, *mail);
        }
        for (const auto& lane : lanes()) lane->end();
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
        if (lane.isRetired()) return lane.end();
        lane.renewArguments();
        const auto fits = [&](const protocol::RenderRequest& request) { return lane.takes(request); };
        if (lane.isElsewhere() && lane.isAbsent()) {
            if (!lane.whyLost() && m_jobs.isWaitingFor(fits)) lane.connect();
            return;
        }
        if (lane.isElsewhere() && lane.isStarting()) return;
        if (const auto job = m_jobs.beginFirst(fits)) lane.begin(*job);
    }

    /// Where each machine that could render it can't be reached any more.
    [[nodiscard]] std::optional<Error> whyNobodyWill(const protocol::RenderRequest& request) const {
        std::optional<Error> why;
        for (const auto& lane : lanes()) {
            const auto obstacle = lane->obstacleTo(request);
            if (!obstacle && !lane->whyLost()) return std::nullopt;
            if (obstacle || (why && why->message.find(lane->whyLost()->message) != std::string::npos))
                continue;
            why = why ? Error{why->code, why->message + "; " + lane->whyLost()->message} : *lane->whyLost();
        }
        return why ? *why : whyNoneTakes(request);
    }

    void askForecasts() {
        std::vector<ForecastQuestion> questions;
        {
            const std::lock_guard lock(m_mutex);
            questions.swap(m_questions);
        }
        for (ForecastQuestion& question : questions)
            if (const auto lane = laneFor(question.request))
                lane->ask(std::move(question));
            else
                question.told(whyNoneTakes(question.request));
        for (const auto& lane : lanes()) lane->askForecasts();
    }

    /// Whether some worker took too long over something.
    bool endPatience() {
        bool ended = false;
        const auto now = std::chrono::steady_clock::now();
        for (const auto& lane : lanes()) {
            const Inbox::Deadline deadline = lane->deadline();
            if (!deadline || now < *deadline) continue;
            lane->deadlinePassed();
            ended = true;
        }
        return ended;
    }

    [[nodiscard]] Inbox::Deadline firstDeadline() const {
        Inbox::Deadline first;
        for (const auto& lane : lanes())
            if (const auto deadline = lane->deadline(); deadline && (!first || *deadline < *first))
                first = deadline;
        return first;
    }

    void handle(JobsChanged&) {}
    void handle(Shutdown&) {}
    void handle(LanesAskedAgain&) {
        for (const auto& lane : lanes()) lane->tryAgain();
    }
    void handle(WorkerSaid& mail) { lanes()[mail.lane]->take(mail.worker, mail.event); }
    void handle(WorkerExited& mail) { lanes()[mail.lane]->takeExit(mail.worker, mail.how); }

    const Callback m_callback;
    Inbox m_inbox;
    QueueSettings m_settings;
    JobLedger m_jobs;
    std::shared_ptr<WorkerTransport> m_local;
    WorkerLimits m_limits;
    mutable std::mutex m_mutex;  ///< guards m_questions and m_lanes
    std::vector<ForecastQuestion> m_questions;
    std::vector<std::shared_ptr<Lane>> m_lanes;  ///< none is taken out: mail names them by their places
    std::jthread m_thread;                       ///< last: it uses everything above
};

JobQueue::JobQueue(JobQueueOptions options, Callback callback)
    : m_engine(std::make_unique<Engine>(std::move(options), std::move(callback))) {}
JobQueue::~JobQueue() = default;

Result<std::string> JobQueue::submit(protocol::RenderRequest request) {
    // The worker would get another path, and write there.
    if (auto text = protocol::requireUtf8(request); !text) return text.error();
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
    return m_engine->retry(id, begin);
}
void JobQueue::setLanes(std::vector<LaneOptions> lanes) {
    m_engine->setLanes(std::move(lanes));
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
