#include "app/cli/worker_loop.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>

#include "app/cli/console.h"
#include "core/base/version.h"
#include "core/protocol/line_buffer.h"
#include "core/protocol/parse_json.h"
#include "core/protocol/worker_message.h"

namespace reelgrid::cli {
namespace {

using namespace protocol;

class JobServer {
  public:
    JobServer(int input, int output, pipeline::Renderer& renderer)
        : m_input(input), m_output(output), m_renderer(renderer) {}

    void serve() {
        send(WorkerReady{kVersion});
        // Detached: a read that waits for a parent which neither writes nor closes must not keep the end
        // waiting.
        std::thread reader([this] { readCommands(); });
        while (const auto job = nextJob()) render(*job);
        reader.detach();
    }

  private:
    // ── the reader's thread ─────────────────────────────────────────────────────────────────────────────

    void readCommands() {
        LineBuffer lines(kMaxLineBytes);
        std::array<char, 16384> buffer;
        while (true) {
            const ssize_t count = ::read(m_input, buffer.data(), buffer.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            lines.append({buffer.data(), std::size_t(count)});
            while (const auto line = lines.next())
                if (!take(*line)) return quit();
            if (lines.overflowed()) {
                say("worker: a command of more than " + std::to_string(kMaxLineBytes) + " bytes came");
                break;
            }
        }
        quit();
    }

    /// False for the command to quit.
    bool take(const std::string& line) {
        auto command = commandFromLine(line);
        if (!command) {
            refuse(line, command.error());
        } else if (auto* render = std::get_if<RenderCommand>(&*command)) {
            const std::lock_guard lock(m_mutex);
            m_waiting.push_back(std::move(*render));
            m_changed.notify_one();
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

    void quit() {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
        m_stop.request_stop();
        m_changed.notify_one();
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
        std::stop_token stop;
        {
            const std::lock_guard lock(m_mutex);
            stop = m_stop.get_token();
        }
        const auto clip = m_renderer.render(job.request, progress, stop);
        if (clip)
            send(JobDone{job.id, *clip});
        else if (clip.error().code == ErrorCode::Cancelled)
            send(JobCancelled{job.id});
        else
            send(JobFailed{job.id, clip.error()});
    }

    // ── either ──────────────────────────────────────────────────────────────────────────────────────────

    void send(const WorkerEvent& event) {
        const std::string line = toLine(event) + "\n";
        const std::lock_guard lock(m_outputMutex);
        std::string_view left = line;
        while (!left.empty()) {
            const ssize_t count = ::write(m_output, left.data(), left.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) _exit(1);  // nobody listens any more
            left.remove_prefix(std::size_t(count));
        }
    }

    const int m_input;
    const int m_output;
    pipeline::Renderer& m_renderer;

    std::mutex m_mutex;  ///< guards what follows
    std::condition_variable m_changed;
    std::deque<RenderCommand> m_waiting;
    std::string m_running;
    std::stop_source m_stop;
    bool m_quit = false;

    std::mutex m_outputMutex;
};

}  // namespace

void serveJobs(int input, int output, pipeline::Renderer& renderer) {
    JobServer(input, output, renderer).serve();
}

}  // namespace reelgrid::cli
