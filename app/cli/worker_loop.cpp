#include "app/cli/worker_loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "app/cli/console.h"
#include "core/base/json.h"
#include "core/base/version.h"
#include "core/jobs/file_descriptor.h"
#include "core/protocol/line_buffer.h"
#include "core/protocol/worker_message.h"

namespace reelgrid::cli {
namespace {

using namespace protocol;

// How long an event may wait for a parent that has ended or asked for the end and doesn't read.
constexpr int kPollMilliseconds = 100;
constexpr int kPatiencePolls = 10;

class JobServer {
  public:
    JobServer(int input, int output, RenderJob renderJob, ForecastJob forecastJob)
        : m_input(input),
          m_output(output),
          m_renderJob(std::move(renderJob)),
          m_forecastJob(std::move(forecastJob)) {}

    Result<void> serve(const std::stop_token& interrupted) {
        const std::stop_callback onInterrupt(interrupted, [this] {
            quit({{ErrorCode::Cancelled, "interrupted"}});
        });
        send(WorkerReady{kVersion});
        {
            const std::jthread reader([this] { readCommands(); });
            const std::jthread forecaster([this] { answerForecasts(); });
            while (const auto job = nextJob()) render(*job);
            // A parent that neither writes nor closes must not keep the end waiting.
            eventfd_write(m_wake.get(), 1);
        }
        const std::lock_guard lock(m_mutex);
        return m_failure ? Result<void>(*m_failure) : Result<void>();
    }

  private:
    // ── the reader's thread ─────────────────────────────────────────────────────────────────────────────

    void readCommands() {
        LineBuffer lines(kMaxLineBytes);
        std::array<char, 16384> buffer;
        while (inputOrEndCame()) {
            const ssize_t count = ::read(m_input, buffer.data(), buffer.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            lines.append({buffer.data(), std::size_t(count)});
            while (const auto line = lines.next())
                if (!take(*line)) return quit();
            if (lines.overflowed())
                return quit({{ErrorCode::InvalidData,
                              "a command of more than " + std::to_string(kMaxLineBytes) + " bytes came"}});
        }
        quit();
    }

    /// Waits; true for input.
    bool inputOrEndCame() {
        std::array<pollfd, 2> watched{pollfd{m_input, POLLIN, 0}, pollfd{m_wake.get(), POLLIN, 0}};
        while (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
        }
        return watched[1].revents == 0;
    }

    /// False for the command to quit.
    bool take(const std::string& line) {
        auto command = commandFromLine(line);
        if (!command) {
            refuse(line, command.error());
        } else if (auto* render = std::get_if<RenderCommand>(&*command)) {
            const std::lock_guard lock(m_mutex);
            m_waiting.push_back(std::move(*render));
            m_changed.notify_all();
        } else if (auto* question = std::get_if<ForecastCommand>(&*command)) {
            const std::lock_guard lock(m_mutex);
            m_questions.push_back(std::move(*question));
            m_changed.notify_all();
        } else if (const auto* cancelled = std::get_if<CancelCommand>(&*command)) {
            cancel(cancelled->id);
        } else {
            return false;
        }
        return true;
    }

    /// Answers a command that can't be understood, for its job if it names one.
    void refuse(const std::string& line, const Error& error) {
        const auto object = parseJson(line, "message");
        const bool named =
            object && object->is_object() && object->contains("id") && (*object)["id"].is_string();
        if (named)
            send(JobFailed{(*object)["id"].get<std::string>(), error});
        else
            say("worker: " + error.message);
    }

    void cancel(const std::string& id) {
        bool wasWaiting = false;
        {
            const std::lock_guard lock(m_mutex);
            if (m_running == id) m_stop.request_stop();
            wasWaiting = std::erase_if(m_waiting, [&](const RenderCommand& job) { return job.id == id; }) > 0;
        }
        if (wasWaiting) send(JobCancelled{id});
    }

    /// Of several reasons to fail the first counts.
    void quit(std::optional<Error> failure = std::nullopt) {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
        if (!m_failure) m_failure = std::move(failure);
        m_stop.request_stop();
        m_changed.notify_all();
    }

    // ── the forecasts' thread ───────────────────────────────────────────────────────────────────────────

    void answerForecasts() {
        std::unique_lock lock(m_mutex);
        while (true) {
            m_changed.wait(lock, [this] { return m_quit || !m_questions.empty(); });
            if (m_quit) return;
            const ForecastCommand question = std::move(m_questions.front());
            m_questions.pop_front();
            lock.unlock();
            if (auto forecast = m_forecastJob(question.request))
                send(Forecast{question.id, *std::move(forecast)});
            else
                send(JobFailed{question.id, forecast.error()});
            lock.lock();
        }
    }

    // ── the rendering thread ────────────────────────────────────────────────────────────────────────────

    std::optional<RenderCommand> nextJob() {
        std::unique_lock lock(m_mutex);
        m_running.clear();
        m_changed.wait(lock, [this] { return m_quit || !m_waiting.empty(); });
        if (m_quit) return std::nullopt;
        RenderCommand job = std::move(m_waiting.front());
        m_waiting.pop_front();
        m_running = job.id;
        m_stop = std::stop_source();
        return job;
    }

    void render(const RenderCommand& job) {
        send(JobStarted{job.id});
        const auto progress = [&](const RenderProgress& now) { send(JobProgress{job.id, now}); };
        const auto preview = [&](const RenderPreview& now) { send(JobPreview{job.id, now}); };
        std::stop_token stop;
        {
            const std::lock_guard lock(m_mutex);
            stop = m_stop.get_token();
        }
        const auto clip = m_renderJob(job.request, progress, preview, stop);
        if (clip)
            send(JobDone{job.id, *clip});
        else if (clip.error().code == ErrorCode::Cancelled)
            send(JobCancelled{job.id});
        else
            send(JobFailed{job.id, clip.error()});
        // CUDA takes nothing more from this process; the next job gets a fresh one.
        if (!clip && clip.error().code == ErrorCode::DeviceLost) quit(clip.error());
    }

    // ── either ──────────────────────────────────────────────────────────────────────────────────────────

    void send(const WorkerEvent& event) {
        const std::string line = toLine(event) + "\n";
        const std::lock_guard lock(m_outputMutex);
        std::string_view left = line;
        while (!left.empty() && !m_outputGivenUp) {
            if (!outputHasRoom()) {
                m_outputGivenUp = true;
                quit({{ErrorCode::Io, "nobody reads its stdout any more: events were lost"}});
                return;
            }
            // What a pipe with room takes without blocking.
            const ssize_t count =
                ::write(m_output, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) _exit(1);  // nobody listens any more
            left.remove_prefix(std::size_t(count));
        }
    }

    /// Waits for room; false when the end has come and there still is none.
    bool outputHasRoom() {
        for (int polls = 0; polls < kPatiencePolls;) {
            pollfd room{.fd = m_output, .events = POLLOUT, .revents = 0};
            const int ready = ::poll(&room, 1, kPollMilliseconds);
            if (ready > 0) return true;
            // As where a plug-in took away the process's right to have files open.
            if (ready < 0 && errno != EINTR) return false;
            pollfd parent{.fd = m_input, .events = 0, .revents = 0};
            ::poll(&parent, 1, 0);
            if (m_quit || (parent.revents & POLLHUP) != 0) ++polls;
        }
        return false;
    }

    const int m_input;
    const int m_output;
    const RenderJob m_renderJob;
    const ForecastJob m_forecastJob;

    /// Readable once the rendering thread has ended.
    const jobs::FileDescriptor m_wake{eventfd(0, EFD_CLOEXEC)};

    std::mutex m_mutex;  ///< guards what follows
    std::condition_variable m_changed;
    std::deque<RenderCommand> m_waiting;
    std::deque<ForecastCommand> m_questions;
    std::string m_running;
    std::stop_source m_stop;
    std::atomic<bool> m_quit = false;  ///< written under the mutex
    std::optional<Error> m_failure;

    std::mutex m_outputMutex;
    bool m_outputGivenUp = false;  ///< guarded by m_outputMutex
};

}  // namespace

Result<void> serveJobs(int input, int output, RenderJob render, ForecastJob forecast,
                       const std::stop_token& interrupted) {
    return JobServer(input, output, std::move(render), std::move(forecast)).serve(interrupted);
}

}  // namespace reelgrid::cli
