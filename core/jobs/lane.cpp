#include "core/jobs/lane.h"

#include <array>
#include <cstdio>
#include <utility>

#include "core/devices/device_name.h"
#include "core/jobs/local_transport.h"
#include "core/protocol/ranks.h"

namespace reelgrid::jobs {

namespace {

/// How long a worker whose time is up has to say what it was in.
constexpr auto kLastWords = std::chrono::seconds(2);

Inbox::Deadline after(std::chrono::milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}

/// What `--nproc` takes.
constexpr std::int64_t kMostRanks = 1024;

bool isOnGpu(const std::string& device) {
    const auto named = devices::deviceNamed(device);
    return named && named->kind != devices::DeviceKind::Cpu;
}

bool isSameDevice(const std::string& a, const std::string& b) {
    const auto first = devices::deviceNamed(a), second = devices::deviceNamed(b);
    return first && second && *first == *second;
}

}  // namespace

Lane::Lane(std::size_t index, LaneOptions options, const WorkerLimits& limits, const QueueSettings& settings,
           JobLedger& jobs, Inbox& inbox)
    : m_index(index),
      m_options(std::move(options)),
      m_limits(limits),
      m_settings(settings),
      m_jobs(jobs),
      m_inbox(inbox) {}

std::optional<Error> Lane::obstacleTo(const protocol::RenderRequest& request) const {
    if (m_isRetired)
        return Error{ErrorCode::Unsupported, m_options.transport->machine() + ": it was taken off the list"};
    if (!m_options.device.empty() && request.device && !isSameDevice(*request.device, m_options.device))
        return Error{ErrorCode::Unsupported,
                     "--device " + *request.device + ": no lane of this queue renders there"};
    if (const auto ranks = protocol::ranksOf(request); ranks > 1)
        if (auto obstacle = obstacleToRanks(ranks)) return obstacle;
    if (auto obstacle = m_options.transport->obstacleTo(request))
        return Error{ErrorCode::Unsupported, m_options.transport->machine() + ": " + *obstacle};
    return std::nullopt;
}

/// Several processes that share a render run here, each on a GPU of its own where it is rendered on GPUs.
std::optional<Error> Lane::obstacleToRanks(std::int64_t ranks) const {
    const std::string words = std::to_string(ranks) + " ranks share the render";
    if (ranks > kMostRanks)
        return Error{ErrorCode::BadUsage, words + ": at most " + std::to_string(kMostRanks) + " were needed"};
    if (isElsewhere())
        return Error{ErrorCode::Unsupported, m_options.transport->machine() + ": " + words +
                                                 ", which only this machine starts; one rank was needed"};
    if (isOnGpu(m_options.device))
        return Error{ErrorCode::Unsupported, m_options.device + ": " + words +
                                                 " and take a GPU each, while renders are bound to this one; "
                                                 "lanes without a GPU's name were needed"};
    return std::nullopt;
}

void Lane::connect() {
    if (auto failed = start(1)) m_whyLost = failed->in(m_options.transport->machine());
}

void Lane::begin(const Job& job) {
    if (m_phase != WorkerPhase::Absent && m_ranks != protocol::ranksOf(job.request)) dismiss();
    m_job = Assignment{job.id, job.request, m_phase != WorkerPhase::Absent};
    if (!m_options.device.empty()) m_job->request.device = m_options.device;
    if (isElsewhere())
        m_jobs.change(job.id, [this](Job& one) { one.machine = m_options.transport->machine(); });
    if (m_phase == WorkerPhase::Absent) return startForJob();
    if (m_phase == WorkerPhase::Idle) sendRender();
}

void Lane::passOnCancellation() {
    const bool isAsked = m_phase == WorkerPhase::Cancelling || m_phase == WorkerPhase::OutOfTime;
    if (!m_job || isAsked || !m_jobs.isCancelling(m_job->id)) return;
    const WorkerPhase before = std::exchange(m_phase, WorkerPhase::Cancelling);
    // A worker that isn't ready yet has no model loaded: nothing is lost by ending it at once.
    if (before == WorkerPhase::Starting || !m_worker->send(protocol::CancelCommand{m_job->id}))
        return stop("");
    m_deadline = after(m_limits.cancel);
}

void Lane::renewArguments() {
    if (m_job || m_phase == WorkerPhase::Absent) return;
    if (m_settings.arguments().version != m_argumentsVersion) dismiss();
}

/// Ends a worker that has no job; another one is asked for forecasts that it owes.
void Lane::dismiss() {
    m_worker.reset();
    m_phase = WorkerPhase::Absent;
    m_deadline.reset();
    m_forecasts.askAgain();
}

void Lane::ask(ForecastQuestion question) {
    if (!m_options.device.empty()) question.request.device = m_options.device;
    m_forecasts.add(std::move(question));
}

void Lane::askForecasts() {
    if (!m_forecasts.areWaiting() || m_phase == WorkerPhase::Starting) return;
    if (m_phase != WorkerPhase::Absent) return m_forecasts.send(*m_worker);
    if (auto failed = start(1)) m_forecasts.fail(*failed);
}

/// Why none could be started, if so.
std::optional<Error> Lane::start(std::int64_t ranks) {
    QueueSettings::Arguments arguments = m_settings.arguments();
    if (ranks > 1) arguments.words.insert(arguments.words.end(), {"--nproc", std::to_string(ranks)});
    const std::uint64_t number = ++m_number;
    WorkerListener listener{[this, number](protocol::WorkerEvent event) {
                                m_inbox.put(WorkerSaid{m_index, number, std::move(event)});
                            },
                            [this, number](std::string how) {
                                m_inbox.put(WorkerExited{m_index, number, std::move(how)});
                            }};
    auto started = m_options.transport->start(arguments.words, std::move(listener));
    if (!started) return started.error();
    m_worker = *std::move(started);
    m_argumentsVersion = arguments.version;
    m_ranks = ranks;
    m_phase = WorkerPhase::Starting;
    m_deadline = m_options.transport->patience().isStartUnlimited ? Inbox::Deadline() : after(m_limits.start);
    return std::nullopt;
}

void Lane::startForJob() {
    if (auto failed = start(protocol::ranksOf(m_job->request))) finish(JobState::Failed, *failed);
}

void Lane::sendRender() {
    m_phase = WorkerPhase::Sent;
    m_deadline.reset();
    const auto sent = m_worker->send(protocol::RenderCommand{m_job->id, m_job->request});
    if (!sent) stop(sent.error().message);
}

void Lane::deadlinePassed() {
    switch (m_phase) {
        case WorkerPhase::Starting:
            return stop("the worker did not start in time");
        case WorkerPhase::Cancelling:
            return stop("the worker did not stop when asked to");
        case WorkerPhase::OutOfTime:
            return stop(timeoutText());
        case WorkerPhase::Idle:
            return stop("");
        default:
            // First it may say what it was in.
            m_phase = WorkerPhase::OutOfTime;
            m_worker->tellTimeIsUp();
            m_deadline = after(kLastWords);
    }
}

std::string Lane::timeoutText() const {
    std::array<char, 64> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%g", double(m_timeout->count()) / 1e3);
    return std::string("took more than ") + seconds.data() + " seconds (--job-timeout) and was stopped";
}

/// Ends the job as it stands.
void Lane::finish(JobState state, const Error& error, const std::string& clip) {
    KeptSteps steps;
    if (state != JobState::Done) steps = m_options.transport->keptSteps(m_job->request.output);
    m_jobs.change(m_job->id, [&](Job& job) {
        const bool diedOfCancelling = state == JobState::Failed && job.cancelling;
        job.state = diedOfCancelling ? JobState::Cancelled : state;
        job.cancelling = false;
        if (job.state == JobState::Failed) job.error = error;
        job.clip = clip;
        job.stepsKept = steps.kept;
        job.steps = steps.total;
        job.preview.reset();
    });
    m_job.reset();
    m_deadline.reset();
}

/// Kills the worker, if there is one; the job that it ran fails with `why`.
void Lane::stop(const std::string& why) {
    if (!m_worker) return;
    m_worker->end();
    workerIsGone(why);
}

/// `why` is empty where we ended it: then its death is no answer to those who asked for a forecast.
void Lane::workerIsGone(const std::string& why) {
    const std::unique_ptr<RunningWorker> worker = std::move(m_worker);
    const WorkerPhase before = std::exchange(m_phase, WorkerPhase::Absent);
    m_deadline.reset();
    if (why.empty())
        m_forecasts.askAgain();
    else
        m_forecasts.fail({ErrorCode::Internal, why});
    if (isElsewhere() && before == WorkerPhase::Starting && !why.empty())
        m_whyLost = Error{ErrorCode::Io, m_options.transport->machine() + ": " + why};
    if (!m_job) return;
    const bool hadNotBegun = before == WorkerPhase::Starting || before == WorkerPhase::Sent;
    if (hadNotBegun && std::exchange(m_job->workerWasThere, false)) return startForJob();
    worker->removePartialFiles(m_job->request.output);
    const bool wasStopped = before == WorkerPhase::Cancelling || before == WorkerPhase::OutOfTime;
    if (isElsewhere() && !wasStopped && !why.empty()) return giveBack(why);
    finish(JobState::Failed, {ErrorCode::Internal, why});
}

/// The machine vanished: another one may render its job, once.
void Lane::giveBack(const std::string& why) {
    const std::string said = m_options.transport->machine() + ": " + why;
    bool isGivenBack = false;
    m_jobs.change(m_job->id, [&](Job& job) {
        isGivenBack = job.givenBack.empty() && !job.cancelling;
        if (!isGivenBack) return;
        job.state = JobState::Queued;
        job.givenBack = said;
        job.progress = {};
        job.preview.reset();
    });
    if (!isGivenBack) return finish(JobState::Failed, {ErrorCode::Io, said});
    m_job.reset();
    m_deadline.reset();
}

/// A worker of another machine is not kept for ever without a job.
void Lane::becomeIdle() {
    m_phase = WorkerPhase::Idle;
    m_deadline.reset();
    const WorkerPatience patience = m_options.transport->patience();
    if (!m_job && patience.idle) m_deadline = after(*patience.idle);
}

void Lane::end() {
    if (m_job) m_job->workerWasThere = false;
    stop("");
}

void Lane::takeExit(std::uint64_t worker, const std::string& how) {
    if (!m_worker || worker != m_number) return;
    workerIsGone(m_phase == WorkerPhase::OutOfTime ? timeoutText() + "; " + how : how);
}

void Lane::take(std::uint64_t worker, protocol::WorkerEvent& event) {
    if (!m_worker || worker != m_number) return;
    std::visit([this](auto& one) { take(one); }, event);
}

void Lane::take(protocol::WorkerReady&) {
    if (m_phase != WorkerPhase::Starting) return;
    becomeIdle();
    if (m_job) sendRender();
}

void Lane::take(protocol::JobStarted& event) {
    if (!isMine(event.id) || m_phase != WorkerPhase::Sent) return;
    m_phase = WorkerPhase::Rendering;
    m_timeout = m_settings.jobTimeout();
    if (m_timeout) m_deadline = after(*m_timeout);
}

void Lane::take(protocol::JobProgress& event) {
    if (isMine(event.id)) m_jobs.change(event.id, [&](Job& job) { job.progress = event.now; });
}

void Lane::take(protocol::JobPreview& event) {
    if (!isMine(event.id)) return;
    m_jobs.change(event.id, [&](Job& job) {
        job.preview = std::make_shared<const protocol::RenderPreview>(std::move(event.now));
    });
}

void Lane::take(protocol::JobDone& event) {
    if (!isMine(event.id)) return;
    finish(JobState::Done, {}, event.clip);
    becomeIdle();
}

void Lane::take(protocol::JobFailed& event) {
    if (m_forecasts.answer(event.id, event.error) || !isMine(event.id)) return;
    finish(JobState::Failed, isElsewhere() ? event.error.in(m_options.transport->machine()) : event.error);
    becomeIdle();
}

void Lane::take(protocol::JobCancelled& event) {
    if (!isMine(event.id)) return;
    finish(JobState::Cancelled);
    becomeIdle();
}

void Lane::take(protocol::Forecast& event) {
    m_forecasts.answer(event.id, event.forecast);
}

}  // namespace reelgrid::jobs
