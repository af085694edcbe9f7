#include "core/fleet/remote_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/folder.h"
#include "core/base/sha256.h"
#include "core/catalog/model_catalog.h"
#include "core/fleet/channel.h"
#include "core/fleet/connection_folder.h"
#include "core/fleet/file_transfer.h"
#include "core/fleet/model_identity.h"
#include "core/fleet/request_files.h"
#include "core/jobs/worker_process.h"
#include "core/protocol/line_buffer.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::fleet {
namespace {

namespace fs = std::filesystem;
using namespace protocol;

bool isSent(const std::string& path) {
    return path.starts_with(kSentMark);
}

class RemoteServer {
  public:
    RemoteServer(int input, int output, fs::path program, fs::path folder)
        : m_input(input), m_output(output), m_program(std::move(program)), m_folder(std::move(folder)) {}

    Result<void> serve(const std::stop_token& interrupted) {
        const std::stop_callback onInterrupt(interrupted, [this] { eventfd_write(m_wake.get(), 1); });
        const auto served = readLines();
        m_isOver = true;
        eventfd_write(m_wake.get(), 1);  // whoever waits for room in the output
        m_worker.reset();                // kills it
        if (interrupted.stop_requested()) return Error{ErrorCode::Cancelled, "interrupted"};
        return served;
    }

  private:
    // ── the calling thread: what comes ──────────────────────────────────────────────────────────────────

    Result<void> readLines() {
        LineBuffer lines(kMaxLineBytes);
        std::array<char, 65536> buffer;
        while (inputOrEndCame()) {
            const ssize_t count = ::read(m_input, buffer.data(), buffer.size());
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return {};
            lines.append({buffer.data(), std::size_t(count)});
            while (const auto line = lines.next()) {
                if (auto taken = take(*line); !taken) return taken;
                if (m_isQuit) return {};
            }
            if (lines.overflowed()) return Error{ErrorCode::InvalidData, "a line of more than 1 MiB came"};
        }
        return {};
    }

    bool inputOrEndCame() {
        std::array<pollfd, 2> watched{pollfd{m_input, POLLIN, 0}, pollfd{m_wake.get(), POLLIN, 0}};
        while (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) {
        }
        return watched[1].revents == 0;
    }

    Result<void> take(const std::string& line) {
        auto message = channelMessageFrom(line);
        if (!message) return message.error();
        if (*message) return std::visit([this](auto& one) { return take(one); }, **message);
        auto command = commandFromLine(line);
        if (!command) return command.error();
        return std::visit([this](auto& one) { return take(one); }, *command);
    }

    Result<void> take(FileBegins& file) {
        m_file.reset();  // one whose job was cancelled meanwhile
        const fs::path place = m_folder / "sent" / file.name;
        auto arriving = ArrivingFile::create(std::move(file), place);
        if (!arriving) return arriving.error();
        m_file.emplace(*std::move(arriving));
        return placeIfWhole();
    }
    Result<void> take(FilePiece& piece) {
        if (!m_file) return Error{ErrorCode::InvalidData, "a piece of no file came"};
        if (auto added = m_file->add(piece.bytes); !added) return added;
        return placeIfWhole();
    }
    Result<void> placeIfWhole() {
        if (!m_file->isWhole()) return {};
        auto file = m_file->finish();
        m_file.reset();
        if (!file) return file.error();
        return file->commit();
    }

    Result<void> take(WorkerBegins& begins) {
        if (m_worker) return Error{ErrorCode::InvalidData, "a second \"begin\" came"};
        std::vector<std::string> arguments{"worker"};
        for (std::string& word : begins.arguments) {
            if (auto found = findSent(word); !found) return found;
            arguments.push_back(std::move(word));
        }
        auto worker = jobs::WorkerProcess::start({m_program, std::move(arguments)},
                                                 {[this](WorkerEvent event) { pass(event); },
                                                  [this](const std::string& how) { workerEnded(how); }});
        if (!worker) return worker.error();
        m_worker = *std::move(worker);
        return {};
    }

    Result<void> take(ModelDescribed& model) {
        m_models[model.name] = std::move(model);
        return {};
    }
    Result<void> take(TimeIsUp&) {
        if (m_worker) m_worker->tellTimeIsUp();
        return {};
    }
    Result<void> take(RenderCommand& command) {
        const fs::path clip = fs::path(command.request.output).filename();
        if (!isSafeName(clip.string())) return Error{ErrorCode::InvalidData, "a clip without a name came"};
        if (auto found = findFiles(command.request); !found) {
            send(toLine(WorkerEvent(JobFailed{command.id, found.error()})));
            return {};
        }
        {
            const std::lock_guard lock(m_mutex);
            m_job = command.id;
            m_clip = m_folder / "made" / clip;
            command.request.output = m_clip.string();
        }
        return hand(std::move(command));
    }
    Result<void> take(ForecastCommand& command) {
        if (auto found = findFiles(command.request); !found) {
            send(toLine(WorkerEvent(JobFailed{command.id, found.error()})));
            return {};
        }
        return hand(std::move(command));
    }
    Result<void> take(CancelCommand& command) { return hand(std::move(command)); }
    Result<void> take(QuitCommand&) {
        m_isQuit = true;
        return {};
    }

    Result<void> hand(WorkerCommand command) {
        if (!m_worker) return Error{ErrorCode::InvalidData, "a command came before \"begin\""};
        return m_worker->send(command);
    }

    /// Puts the places of what was sent into the request.
    Result<void> findFiles(RenderRequest& request) {
        if (isSent(request.model))
            if (auto found = findModel(request.model); !found) return found;
        return forEachFile(request, [this](const std::string&, std::string& path) { return findSent(path); });
    }
    Result<void> findSent(std::string& path) const {
        if (!isSent(path)) return {};
        const std::string name = path.substr(std::string_view(kSentMark).size());
        const fs::path file = m_folder / "sent" / name;
        std::error_code failed;
        if (!isSafeName(name) || !fs::is_regular_file(file, failed))
            return Error{ErrorCode::InvalidData, path + ": it was not sent"};
        path = file.string();
        return {};
    }
    Result<void> findModel(std::string& name) {
        const auto described = m_models.find(name.substr(std::string_view(kSentMark).size()));
        if (described == m_models.end())
            return Error{ErrorCode::InvalidData, name + ": it was not described"};
        const ModelDescribed& wanted = described->second;
        for (const families::ModelInfo& model : catalog::listModels()) {
            if (model.family != wanted.family || model.bytes() != wanted.bytes) continue;
            const auto hashes = identityOf(model, m_hasher);
            if (!hashes || *hashes != wanted.hashes) continue;
            name = model.id;
            return {};
        }
        return Error{ErrorCode::NotFound,
                     "it lacks the model " + wanted.folder + ": none of its own has the same SHA-256"};
    }

    // ── the worker's thread: what goes back ─────────────────────────────────────────────────────────────

    void pass(WorkerEvent& event) {
        if (const auto* done = std::get_if<JobDone>(&event)) {
            const auto sent = sendResult();
            if (!sent) event = JobFailed{done->id, sent.error()};
        }
        const bool isOver = std::holds_alternative<JobDone>(event) ||
                            std::holds_alternative<JobFailed>(event) ||
                            std::holds_alternative<JobCancelled>(event);
        if (isOver) forgetJob(event);
        send(toLine(event));
    }

    /// Forecasts fail as jobs do.
    void forgetJob(const WorkerEvent& event) {
        const std::string id = std::visit(
            [](const auto& one) {
                if constexpr (requires { one.id; }) return one.id;
                return std::string();
            },
            event);
        const std::lock_guard lock(m_mutex);
        if (id != m_job) return;
        m_job.clear();
        std::error_code ignored;
        fs::remove_all(m_folder / "made", ignored);
    }

    void workerEnded(const std::string& how) {
        if (m_isOver) return;
        std::string job;
        {
            const std::lock_guard lock(m_mutex);
            job = m_job;
        }
        if (!job.empty()) {
            WorkerEvent failed = JobFailed{job, {ErrorCode::Internal, how}};
            pass(failed);
        }
        eventfd_write(m_wake.get(), 1);
    }

    Result<void> sendResult() {
        fs::path clip;
        {
            const std::lock_guard lock(m_mutex);
            clip = m_clip;
        }
        if (auto sent = sendFileOf(clip, kClipName); !sent) return sent;
        const fs::path folder = resultFolderOf(clip);
        std::error_code failed;
        for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
             entry.increment(failed)) {
            const std::string name = fs::relative(entry->path(), folder, failed).generic_string();
            if (failed || !entry->is_regular_file(failed) || !isSafeName(name)) continue;
            if (auto sent = sendFileOf(entry->path(), kCompanionStart + name); !sent) return sent;
        }
        if (failed) return Error{ErrorCode::Io, folder.string() + ": " + failed.message()};
        return {};
    }
    Result<void> sendFileOf(const fs::path& file, const std::string& name) {
        const auto hash = sha256OfFile(file);
        if (!hash) return hash.error();
        const auto sink = [this](const std::string& line) -> Result<void> {
            if (send(line)) return {};
            return Error{ErrorCode::Io, "nobody reads the result"};
        };
        return sendFile(file, name, *hash, sink, [](std::uint64_t) {});
    }

    // ── either ──────────────────────────────────────────────────────────────────────────────────────────

    /// False once the end has come.
    bool send(const std::string& message) {
        const std::string line = message + "\n";
        std::string_view left = line;
        const std::lock_guard lock(m_outputMutex);
        while (!left.empty()) {
            std::array<pollfd, 2> watched{pollfd{m_output, POLLOUT, 0}, pollfd{m_wake.get(), POLLIN, 0}};
            if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
            if (m_isOver) return false;
            // What a pipe with room takes without blocking.
            const ssize_t count =
                ::write(m_output, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return false;
            left.remove_prefix(std::size_t(count));
        }
        return true;
    }

    const int m_input, m_output;
    const fs::path m_program, m_folder;
    const jobs::FileDescriptor m_wake{eventfd(0, EFD_CLOEXEC)};
    std::atomic<bool> m_isOver = false;
    bool m_isQuit = false;
    std::optional<ArrivingFile> m_file;
    std::map<std::string, ModelDescribed> m_models;
    result::ComponentHasher m_hasher{result::KeptHashes::ofUser()};

    std::mutex m_mutex;  ///< guards m_job and m_clip
    std::string m_job;   ///< that was handed to the worker; empty: none
    fs::path m_clip;

    std::mutex m_outputMutex;
    std::unique_ptr<jobs::WorkerProcess> m_worker;  ///< last: its thread uses the rest
};

}  // namespace

Result<void> serveRemote(int input, int output, const fs::path& program, const std::stop_token& interrupted) {
    auto folder = ConnectionFolder::create();
    if (!folder) return folder.error();
    return RemoteServer(input, output, program, folder->path()).serve(interrupted);
}

}  // namespace reelgrid::fleet
