#include "core/jobs/line_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <span>

#include "core/jobs/exit_status.h"
#include "core/protocol/line_buffer.h"
#include "core/protocol/worker_message.h"

extern char** environ;

namespace reelgrid::jobs {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a worker that closed its output may take to end by itself.
constexpr auto kEndTimeout = std::chrono::seconds(2);

Error systemError(const std::string& doing) {
    return {ErrorCode::Internal, doing + ": " + std::strerror(errno)};
}

struct Ends {
    FileDescriptor ours;
    FileDescriptor theirs;
};

/// Close-on-exec, so that no other child of this program keeps a worker's pipe open.
Result<Ends> readingPipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return systemError("can't make a pipe");
    return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// A socket, not a pipe: writing to a dead worker must fail, not raise SIGPIPE in the window.
Result<Ends> writingSocket() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return systemError("can't make a socket pair");
    return Ends{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

class SpawnSettings {
  public:
    SpawnSettings(int input, int output, int errors) {
        posix_spawn_file_actions_init(&m_actions);
        posix_spawn_file_actions_adddup2(&m_actions, input, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&m_actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&m_actions, errors, STDERR_FILENO);
        posix_spawnattr_init(&m_attributes);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&m_attributes, &none);
        sigset_t all;
        sigfillset(&all);
        posix_spawnattr_setsigdefault(&m_attributes, &all);
        // Its own process group: Ctrl-C in the terminal is for the parent, which cancels in good order.
        posix_spawnattr_setpgroup(&m_attributes, 0);
        posix_spawnattr_setflags(&m_attributes,
                                 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&m_actions);
        posix_spawnattr_destroy(&m_attributes);
    }
    [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &m_actions; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &m_attributes; }

  private:
    posix_spawn_file_actions_t m_actions;
    posix_spawnattr_t m_attributes;
};

/// What read() brought, at most one buffer; empty at the end of the stream.
std::string_view readSome(int descriptor, std::span<char> buffer) {
    ssize_t count = 0;
    do count = ::read(descriptor, buffer.data(), buffer.size());
    while (count < 0 && errno == EINTR);
    return {buffer.data(), std::size_t(count > 0 ? count : 0)};
}

}  // namespace

struct LineProcess::Reading {
    protocol::LineBuffer lines{protocol::kMaxLineBytes};
    ErrorTail errors;
    std::string complaint;  ///< what was wrong with its output, when that is why it was killed
};

LineProcess::LineProcess(pid_t pid, LineListener listener)
    : m_pid(pid), m_listener(std::move(listener)), m_reading(std::make_unique<Reading>()) {}

Result<std::unique_ptr<LineProcess>> LineProcess::start(const ProcessCommandLine& command,
                                                        LineListener listener) {
    auto input = writingSocket();
    if (!input) return input.error();
    auto output = readingPipe();
    if (!output) return output.error();
    auto errors = readingPipe();
    if (!errors) return errors.error();

    std::vector<std::string> words{command.program.string()};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    const SpawnSettings settings(input->theirs.get(), output->theirs.get(), errors->theirs.get());
    pid_t pid = -1;
    const int failed = posix_spawnp(&pid, command.program.c_str(), settings.actions(), settings.attributes(),
                                    argv.data(), environ);
    if (failed != 0)
        return Error{ErrorCode::NotFound,
                     "can't start " + command.program.string() + ": " + std::strerror(failed)};

    std::unique_ptr<LineProcess> process(new LineProcess(pid, std::move(listener)));
    process->m_input = std::move(input->ours);
    process->m_reader = std::thread(
        [self = process.get(), out = std::move(output->ours), err = std::move(errors->ours)]() mutable {
            self->read(std::move(out), std::move(err));
        });
    return process;
}

LineProcess::~LineProcess() {
    end();
}

void LineProcess::end() {
    signal(SIGKILL);
    if (m_reader.joinable()) m_reader.join();
}

void LineProcess::endWithin(std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    while (!isReaped() && Clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    end();
}

bool LineProcess::isReaped() {
    const std::lock_guard lock(m_mutex);
    return m_reaped;
}

void LineProcess::signal(int number) {
    const std::lock_guard lock(m_mutex);
    if (!m_reaped) ::kill(m_pid, number);
}

Result<void> LineProcess::send(const std::string& text, std::chrono::milliseconds patience) {
    const std::string line = text + "\n";
    const auto deadline = Clock::now() + patience;
    std::string_view left = line;
    while (!left.empty()) {
        const ssize_t count = ::send(m_input.get(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0) {
            left.remove_prefix(std::size_t(count));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return systemError("can't write to the worker");
        const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (wait.count() <= 0) return Error{ErrorCode::Internal, "the worker takes no commands"};
        pollfd poller{m_input.get(), POLLOUT, 0};
        ::poll(&poller, 1, int(wait.count()));
    }
    return {};
}

/// False when the output isn't the protocol.
bool LineProcess::takeOutput(std::string_view bytes) {
    m_reading->lines.append(bytes);
    while (const auto line = m_reading->lines.next()) {
        if (auto taken = m_listener.line(*line); !taken) {
            m_reading->complaint = taken.error().message;
            return false;
        }
    }
    if (m_reading->lines.overflowed()) {
        m_reading->complaint =
            "sent a line of more than " + std::to_string(protocol::kMaxLineBytes) + " bytes";
        return false;
    }
    return true;
}

void LineProcess::read(FileDescriptor output, FileDescriptor errors) {
    const ChildWatch watch(m_pid);
    std::array<char, 16384> buffer;
    while (output.open() && !watch.hasEnded()) {
        std::array<pollfd, 3> pollers{pollfd{output.get(), POLLIN, 0}, pollfd{errors.get(), POLLIN, 0},
                                      watch.poller()};
        if (::poll(pollers.data(), pollers.size(), watch.mostMilliseconds(-1)) < 0 && errno != EINTR) break;
        if (pollers[1].revents != 0) {
            const std::string_view bytes = readSome(errors.get(), buffer);
            m_reading->errors.append(bytes);
            if (bytes.empty()) errors.reset();
        }
        if (pollers[0].revents != 0) {
            const std::string_view bytes = readSome(output.get(), buffer);
            if (bytes.empty()) output.reset();
            if (!takeOutput(bytes)) {
                signal(SIGKILL);
                output.reset();
            }
        }
    }
    if (output.open())
        readWhatIsLeft(output.get(), [this](std::string_view bytes) { return takeOutput(bytes); });
    std::string how = reap(watch);
    if (errors.open())
        readWhatIsLeft(errors.get(), [this](std::string_view bytes) {
            m_reading->errors.append(bytes);
            return true;
        });
    if (!m_reading->complaint.empty()) how = m_reading->complaint + " and was stopped";
    if (const std::string said = m_reading->errors.text(); !said.empty()) how += "; it said: " + said;
    m_listener.exited(how);
}

/// Waits for the process's end, hastening it when it lives on without output.
std::string LineProcess::reap(const ChildWatch& watch) {
    const auto deadline = Clock::now() + kEndTimeout;
    while (!watch.hasEnded()) {
        if (Clock::now() > deadline) signal(SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const std::lock_guard lock(m_mutex);
    m_reaped = true;
    return describeExit(reapWithGroup(m_pid));
}

}  // namespace reelgrid::jobs
