#include "core/jobs/job_queue.h"

#include <array>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "core/jobs/inbox.h"
#include "core/jobs/job_list.h"
#include "core/jobs/partial_files.h"
#include "core/protocol/time_is_up.h"
#include "core/result/unfinished_render.h"

namespace reelgrid::jobs {

using Clock = std::chrono::steady_clock;

namespace {
/// How long a worker whose time is up has to say what it was in.
constexpr auto kLastWords = std::chrono::seconds(2);
}  // namespace

/// The jobs and their changes are guarded by m_mutex; everything about the worker belongs to the queue's
/// thread alone.
class JobQueue::Engine {
  public:
    Engine(JobQueueOptions options, Callback callback)
        : m_options(std::move(options)),
          m_callback(std::move(callback)),
          m_jobs(m_options.capacity, m_options.history),
          m_arguments(m_options.worker.arguments),
          m_thread([this](std::stop_token stop) { run(stop); }) {}

    ~Engine() {
        m_thread.request_stop();
        m_inbox.put(Shutdown{});
        m_thread.join();
    }

    Result<std::string> submit(protocol::RenderRequest request) {
        return note([&] { return m_jobs.add(std::move(request)); });
    }

    Result<void> retry(const std::string& id, Begin begin) {
        auto queued = note([&] { return m_jobs.requeue(id, begin); });
        if (!queued) return queued.error();
        return {};
    }

    Result<void> cancel(const std::string& id) {
        auto cancelled = note([&]() -> Result<Job> {
            Job* job = m_jobs.find(id);
            if (job == nullptr) return Error{ErrorCode::BadUsage, "job " + id + ": there is no such job"};
            if (isFinished(job->state))
                return Error{ErrorCode::BadUsage, "job " + id + " is " + nameOf(job->state) + " already"};
            markCancelled(*job);
            return *job;
        });
        if (!cancelled) return cancelled.error();
        return {};
    }

    void forecast(protocol::RenderRequest request, ForecastTold told) {
        {
            const std::lock_guard lock(m_mutex);
            m_questions.push_back({std::move(request), std::move(told)});
        }
        m_inbox.put(JobsChanged{});
    }

    void setWorkerArguments(std::vector<std::string> arguments) {
        const std::lock_guard lock(m_mutex);
        m_newArguments = std::move(arguments);
    }

    void setJobTimeout(std::optional<std::chrono::milliseconds> timeout) {
        const std::lock_guard lock(m_mutex);
        m_newTimeout = timeout;
    }

    Result<void> moveTo(const std::string& id, std::size_t place) {
        auto moved = note([&] { return m_jobs.moveTo(id, place); });
        if (!moved) return moved.error();
        return {};
    }

    std::vector<std::string> waiting() const {
        const std::lock_guard lock(m_mutex);
        return m_jobs.waiting();
    }

    void setPaused(bool paused) {
        {
            const std::lock_guard lock(m_mutex);
            m_paused = paused;
        }
        m_inbox.put(JobsChanged{});
    }

    bool isPaused() const {
        const std::lock_guard lock(m_mutex);
        return m_paused;
    }

    void cancelAll() {
        for (const Job& job : jobs())
            if (!isFinished(job.state)) (void)cancel(job.id);
    }

    std::vector<Job> jobs() const {
        const std::lock_guard lock(m_mutex);
        return m_jobs.all();
    }

    void waitUntilIdle() {
        std::unique_lock lock(m_mutex);
        m_idle.wait(lock, [this] { return m_jobs.idle() && m_changes.empty(); });
    }

  private:
    struct Question {
        protocol::RenderRequest request;
        ForecastTold told;
    };

    // ── any thread ──────────────────────────────────────────────────────────────────────────────────────

    /// Makes a change to the jobs and has the queue's thread tell about it.
    template <class Change>
    Result<std::string> note(Change change) {
        std::string id;
        {
            const std::lock_guard lock(m_mutex);
            Result<Job> changed = change();
            if (!changed) return changed.error();
            id = changed->id;
            m_changes.push_back(*std::move(changed));
        }
        m_inbox.put(JobsChanged{});
        return id;
    }

    static void markCancelled(Job& job) {
        if (job.state == JobState::Queued)
            job.state = JobState::Cancelled;
        else
            job.cancelling = true;
    }

    // ── the queue's thread ──────────────────────────────────────────────────────────────────────────────

    void run(std::stop_token stop) {
        m_stop = stop;
        while (!stop.stop_requested()) {
            tellChanges();
            startNext();
            askForecasts();
            // Looked at first: a worker that ignores a cancellation may talk on without a pause.
            if (m_deadline && Clock::now() >= *m_deadline)
                deadlinePassed();
            else if (auto mail = m_inbox.take(m_deadline))
                std::visit([this](auto& one) { handle(one); }, *mail);
        }
        m_reused = false;
        stopWorker("");
    }

    /// Calls back for each change that is waiting, oldest first.
    void tellChanges() {
        while (true) {
            std::optional<Job> changed;
            {
                const std::lock_guard lock(m_mutex);
                if (m_changes.empty()) break;
                changed = m_changes.front();
            }
            if (m_callback && !m_stop.stop_requested()) m_callback(*changed);
            {
                const std::lock_guard lock(m_mutex);
                m_changes.pop_front();
                if (m_changes.empty() && m_jobs.idle()) m_idle.notify_all();
            }
        }
        cancelRunning();
    }

    template <class Change>
    void change(const std::string& id, Change apply) {
        const std::lock_guard lock(m_mutex);
        Job* job = m_jobs.find(id);
        if (job == nullptr) return;
        apply(*job);
        m_changes.push_back(*job);
    }

    void startNext() {
        if (!m_running.empty()) return;
        std::optional<Job> next;
        {
            const std::lock_guard lock(m_mutex);
            if (m_paused) return;
            Job* job = m_jobs.firstQueued();
            if (job == nullptr) return;
            job->state = JobState::Running;
            next = *job;
            m_changes.push_back(*job);
        }
        takeNewArguments();
        m_running = next->id;
        m_request = next->request;
        m_cancelSent = false;
        m_started = false;
        m_reused = m_worker != nullptr;
        if (!m_worker) startForJob();
        if (m_worker && m_ready) sendRender();
        tellChanges();
    }

    /// Between jobs alone: they are a new worker's.
    void takeNewArguments() {
        {
            const std::lock_guard lock(m_mutex);
            if (!m_newArguments) return;
            m_arguments = *std::exchange(m_newArguments, std::nullopt);
        }
        m_worker.reset();
        m_ready = false;
        m_deadline.reset();
        askAgain();
    }

    void askForecasts() {
        if (m_running.empty()) takeNewArguments();
        std::deque<Question> questions;
        {
            const std::lock_guard lock(m_mutex);
            if (m_questions.empty() || (m_worker && !m_ready)) return;
            if (m_worker) questions.swap(m_questions);
        }
        if (!m_worker) return startIdle();
        for (Question& question : questions) {
            const std::string id = "forecast-" + std::to_string(++m_forecastNumber);
            if (auto sent = m_worker->send(protocol::ForecastCommand{id, question.request}); !sent)
                question.told(sent.error());
            else
                m_asked.emplace(id, std::move(question));
        }
    }

    /// A worker without a job, for those who ask.
    void startIdle() {
        if (auto failed = startWorker()) tellNoForecasts(*failed);
    }

    /// Of the next worker, what this one has not answered.
    void askAgain() {
        const std::lock_guard lock(m_mutex);
        for (auto& [id, question] : std::exchange(m_asked, {})) m_questions.push_back(std::move(question));
    }

    /// To everybody who has asked until now.
    void tellNoForecasts(const Error& why) {
        std::deque<Question> questions;
        {
            const std::lock_guard lock(m_mutex);
            questions.swap(m_questions);
        }
        for (auto& [id, question] : std::exchange(m_asked, {})) questions.push_back(std::move(question));
        if (m_stop.stop_requested()) return;
        for (const Question& question : questions) question.told(why);
    }

    bool answer(const std::string& id, const Result<protocol::RenderForecast>& forecast) {
        const auto asked = m_asked.extract(id);
        if (asked.empty()) return false;
        asked.mapped().told(forecast);
        return true;
    }

    /// Why none could be started, if so.
    std::optional<Error> startWorker() {
        WorkerCommandLine command = m_options.worker;
        command.arguments = m_arguments;
        if (command.program.empty()) {
            auto program = findWorkerProgram();
            if (!program) return program.error();
            command.program = *program;
        }
        const std::uint64_t number = ++m_workerNumber;
        auto started = WorkerProcess::start(command, {[this, number](protocol::WorkerEvent event) {
                                                          m_inbox.put(WorkerSaid{number, std::move(event)});
                                                      },
                                                      [this, number](std::string how) {
                                                          m_inbox.put(WorkerExited{number, std::move(how)});
                                                      }});
        if (!started) return started.error();
        m_worker = *std::move(started);
        m_ready = false;
        m_deadline = Clock::now() + m_options.startTimeout;
        return std::nullopt;
    }

    void startForJob() {
        if (auto failed = startWorker()) finish(JobState::Failed, *failed);
    }

    void sendRender() {
        const auto sent = m_worker->send(protocol::RenderCommand{m_running, m_request});
        if (!sent) stopWorker(sent.error().message);
    }

    /// Passes a cancellation on to the worker, once.
    void cancelRunning() {
        if (m_running.empty() || m_cancelSent) return;
        {
            const std::lock_guard lock(m_mutex);
            const Job* job = m_jobs.find(m_running);
            if (job == nullptr || !job->cancelling) return;
        }
        m_cancelSent = true;
        // A worker that isn't ready yet has no model loaded: nothing is lost by ending it at once.
        if (!m_ready || !m_worker->send(protocol::CancelCommand{m_running})) return stopWorker("");
        m_deadline = Clock::now() + m_options.cancelTimeout;
    }

    void deadlinePassed() {
        if (!m_ready) return stopWorker("the worker did not start in time");
        if (m_cancelSent) return stopWorker("the worker did not stop when asked to");
        if (m_timedOut) return stopWorker(timeoutText());
        // First a signal at which it says what it was in.
        m_timedOut = true;
        m_worker->signal(protocol::kTimeIsUpSignal);
        m_deadline = Clock::now() + kLastWords;
    }

    [[nodiscard]] std::string timeoutText() const {
        std::array<char, 64> seconds{};
        std::snprintf(seconds.data(), seconds.size(), "%g", double(m_timeout->count()) / 1e3);
        return std::string("took more than ") + seconds.data() + " seconds (--job-timeout) and was stopped";
    }

    /// Ends the running job as it stands.
    void finish(JobState state, const Error& error = {}, const std::string& clip = {}) {
        result::UnfinishedRender left;
        if (state != JobState::Done)
            if (auto read = result::readUnfinished(m_request.output); read && *read) left = **std::move(read);
        change(m_running, [&](Job& job) {
            const bool diedOfCancelling = state == JobState::Failed && job.cancelling;
            job.state = diedOfCancelling ? JobState::Cancelled : state;
            job.cancelling = false;
            if (job.state == JobState::Failed) job.error = error;
            job.clip = clip;
            job.stepsKept = left.stepsKept;
            job.steps = left.stepsKept > 0 ? left.steps : 0;
            job.preview.reset();
        });
        m_running.clear();
        m_timedOut = false;
        m_deadline.reset();
    }

    /// Kills the worker, if there is one; the job that it ran fails with `why`.
    void stopWorker(const std::string& why) {
        if (!m_worker) return;
        const pid_t pid = m_worker->pid();
        m_worker.reset();
        workerIsGone(pid, why);
    }

    void workerIsGone(pid_t pid, const std::string& why) {
        m_worker.reset();
        m_ready = false;
        m_deadline.reset();
        // One that was ended on purpose is no answer.
        why.empty() ? askAgain() : tellNoForecasts({ErrorCode::Internal, why});
        if (m_running.empty()) return;
        // A warm worker that died between two jobs is not this job's fault.
        if (m_reused && !m_started && !m_cancelSent) {
            m_reused = false;
            return startForJob();
        }
        removePartialFiles(m_request.output, pid);
        finish(JobState::Failed, {ErrorCode::Internal, why});
    }

    void handle(JobsChanged&) {}
    void handle(Shutdown&) {}

    void handle(WorkerExited& mail) {
        if (m_worker && mail.worker == m_workerNumber)
            workerIsGone(m_worker->pid(), m_timedOut ? timeoutText() + "; " + mail.how : mail.how);
    }

    void handle(WorkerSaid& mail) {
        if (!m_worker || mail.worker != m_workerNumber) return;
        std::visit([this](auto& event) { hear(event); }, mail.event);
    }

    void hear(protocol::WorkerReady&) {
        if (m_ready) return;
        m_ready = true;
        m_deadline.reset();
        if (!m_running.empty()) sendRender();
    }
    void hear(protocol::JobStarted& event) {
        if (event.id != m_running) return;
        m_started = true;
        {
            const std::lock_guard lock(m_mutex);
            m_timeout = m_newTimeout;
        }
        if (m_timeout && !m_cancelSent) m_deadline = Clock::now() + *m_timeout;
    }
    void hear(protocol::JobProgress& event) {
        if (event.id == m_running) change(m_running, [&](Job& job) { job.progress = event.now; });
    }
    void hear(protocol::JobPreview& event) {
        if (event.id != m_running) return;
        change(m_running, [&](Job& job) {
            job.preview = std::make_shared<const protocol::RenderPreview>(std::move(event.now));
        });
    }
    void hear(protocol::JobDone& event) {
        if (event.id == m_running) finish(JobState::Done, {}, event.clip);
    }
    void hear(protocol::JobFailed& event) {
        if (answer(event.id, event.error)) return;
        if (event.id == m_running) finish(JobState::Failed, event.error);
    }
    void hear(protocol::JobCancelled& event) {
        if (event.id == m_running) finish(JobState::Cancelled);
    }
    void hear(protocol::Forecast& event) { answer(event.id, event.forecast); }

    const JobQueueOptions m_options;
    const Callback m_callback;
    Inbox m_inbox;

    mutable std::mutex m_mutex;
    std::condition_variable m_idle;
    JobList m_jobs;
    std::deque<Job> m_changes;  ///< not told to the callback yet
    std::deque<Question> m_questions;
    std::optional<std::vector<std::string>> m_newArguments;
    std::optional<std::chrono::milliseconds> m_newTimeout = m_options.jobTimeout;
    bool m_paused = false;

    // The queue's thread's own:
    std::vector<std::string> m_arguments;
    std::optional<std::chrono::milliseconds> m_timeout;  ///< of the job that the worker began last

    std::unique_ptr<WorkerProcess> m_worker;
    std::uint64_t m_workerNumber = 0;
    bool m_ready = false;
    std::string m_running;  ///< the running job's id; empty: none
    protocol::RenderRequest m_request;
    bool m_cancelSent = false;
    bool m_timedOut = false;
    bool m_started = false;                   ///< the worker said that it began with the running job
    bool m_reused = false;                    ///< the running job was given to a worker from before
    std::map<std::string, Question> m_asked;  ///< of the worker, by the command's id
    std::uint64_t m_forecastNumber = 0;
    std::stop_token m_stop;
    Inbox::Deadline m_deadline;

    std::jthread m_thread;  ///< last: it uses everything above
};

JobQueue::JobQueue(JobQueueOptions options, Callback callback)
    : m_engine(std::make_unique<Engine>(std::move(options), std::move(callback))) {}
JobQueue::~JobQueue() = default;

Result<std::string> JobQueue::submit(protocol::RenderRequest request) {
    return m_engine->submit(std::move(request));
}
Result<void> JobQueue::cancel(const std::string& id) {
    return m_engine->cancel(id);
}
void JobQueue::forecast(protocol::RenderRequest request, ForecastTold told) {
    m_engine->forecast(std::move(request), std::move(told));
}
void JobQueue::cancelAll() {
    m_engine->cancelAll();
}
void JobQueue::setJobTimeout(std::optional<std::chrono::milliseconds> timeout) {
    m_engine->setJobTimeout(timeout);
}
void JobQueue::setWorkerArguments(std::vector<std::string> arguments) {
    m_engine->setWorkerArguments(std::move(arguments));
}
Result<void> JobQueue::retry(const std::string& id, Begin begin) {
    return m_engine->retry(id, begin);
}
Result<void> JobQueue::moveTo(const std::string& id, std::size_t place) {
    return m_engine->moveTo(id, place);
}
std::vector<std::string> JobQueue::waiting() const {
    return m_engine->waiting();
}
void JobQueue::pause() {
    m_engine->setPaused(true);
}
void JobQueue::resume() {
    m_engine->setPaused(false);
}
bool JobQueue::isPaused() const {
    return m_engine->isPaused();
}
std::vector<Job> JobQueue::jobs() const {
    return m_engine->jobs();
}
void JobQueue::waitUntilIdle() {
    m_engine->waitUntilIdle();
}

}  // namespace reelgrid::jobs
