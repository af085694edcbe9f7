#include "core/plugins/python/python_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/plugins/python/shared_memory.h"

namespace reelgrid::plugins {

/// How the process ended, once it has; what waits for it outlives the PythonProcess.
struct PythonProcess::End {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<int> status;
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeptLines = 8, kMostLineBytes = 500;
/// Descriptors of the child beside the standard ones.
constexpr int kChildSocket = 3, kChildMemory = 4;
/// How often its end is asked for: a process that it forked and left behind holds its socket open.
constexpr int kAskEveryMilliseconds = 100;

Error unableTo(const std::string& what) {
    return {ErrorCode::Internal, "Python: can't " + what + ": " + std::strerror(errno)};
}

/// A descriptor that is closed unless it is taken.
class Descriptor {
  public:
    explicit Descriptor(int number) : m_number(number) {}
    Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (m_number >= 0) close(m_number);
    }
    [[nodiscard]] int number() const { return m_number; }
    int take() { return std::exchange(m_number, -1); }
    /// Out of the way of those that a child is given.
    Result<void> moveUp() {
        constexpr int kFirstFree = 10;
        const int moved = fcntl(m_number, F_DUPFD_CLOEXEC, kFirstFree);
        if (moved < 0) return unableTo("copy a descriptor");
        close(std::exchange(m_number, moved));
        return {};
    }

  private:
    int m_number;
};

/// In the child, between fork() and exec(): nothing but system calls.
[[noreturn]] void becomePython(const std::array<const char*, 9>& words, int socket, int memory, int output,
                               int null, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    dup2(socket, kChildSocket);
    dup2(memory, kChildMemory);
    execv(words[0], const_cast<char* const*>(words.data()));
    _exit(127);
}

std::string wordsFor(int status) {
    if (WIFSIGNALED(status))
        return "its Python was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
               strsignal(WTERMSIG(status)) + ")";
    return "its Python ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

PythonProcess::PythonProcess(int socket, int output, pid_t id, std::string plugin, std::shared_ptr<End> end)
    : m_socket(socket),
      m_output(output),
      m_id(id),
      m_itsPlugin(id, std::move(plugin)),
      m_end(std::move(end)) {}

PythonProcess::~PythonProcess() {
    close(m_socket);  // it ends by itself unless it is in the middle of something
    std::unique_lock lock(m_end->mutex);
    const auto hasEnded = [this] { return m_end->status.has_value(); };
    if (!m_end->changed.wait_for(lock, std::chrono::milliseconds(200), hasEnded)) kill(m_id, SIGKILL);
    lock.unlock();
    close(m_output);
}

Result<std::unique_ptr<PythonProcess>> PythonProcess::start(const Order& order, const SharedMemory& memory) {
    int pair[2], pipe[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return unableTo("make a socket");
    Descriptor own(pair[0]), its(pair[1]);
    if (pipe2(pipe, O_CLOEXEC) != 0) return unableTo("make a pipe");
    Descriptor output(pipe[0]), written(pipe[1]);
    fcntl(output.number(), F_SETFL, O_NONBLOCK);
    Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC)), shared(dup(memory.file()));
    for (Descriptor* each : {&its, &written, &null, &shared})
        if (auto moved = each->moveUp(); !moved) return moved.error();

    const std::string program = order.interpreter.string(), script = order.bridge.string(),
                      kernel = order.kernel.string(), socket = std::to_string(kChildSocket),
                      file = std::to_string(kChildMemory), bytes = std::to_string(memory.size());
    const std::array<const char*, 9> words{program.c_str(), "-u",           script.c_str(),
                                           "serve",         kernel.c_str(), socket.c_str(),
                                           file.c_str(),    bytes.c_str(),  nullptr};
    // A child is killed when the thread that made it ends: this one waits for it.
    auto end = std::make_shared<End>();
    const auto started = std::make_shared<std::promise<pid_t>>();
    auto id = started->get_future();
    const pid_t parent = getpid();
    std::thread([&, end, started] {
        const pid_t child = fork();
        if (child == 0)
            becomePython(words, its.number(), shared.number(), written.number(), null.number(), parent);
        started->set_value(child);  // whoever waits goes on: nothing of it may be touched any more
        if (child < 0) return;
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        const std::lock_guard lock(end->mutex);
        end->status = status;
        end->changed.notify_all();
    }).detach();
    const pid_t child = id.get();
    if (child < 0) return unableTo("start " + program);
    std::unique_ptr<PythonProcess> process(
        new PythonProcess(own.take(), output.take(), child, order.plugin, std::move(end)));
    { const Descriptor closed(its.take()), alsoClosed(written.take()); }
    auto hello = process->answer(Waiting::Asleep);
    if (!hello) return hello.error();
    if (hello->answer != BridgeAnswer::Done) return Error{ErrorCode::InvalidData, textOf(*hello)};
    process->m_words = textOf(*hello);
    return process;
}

bool PythonProcess::has(const std::string& word) const {
    return m_words.substr(0, m_words.find('\n')).find(word + " ") != std::string::npos;
}

std::string PythonProcess::runtime() const {
    return m_words.substr(std::min(m_words.find('\n'), m_words.size() - 1) + 1);
}

Result<BridgeReply> PythonProcess::ask(const BridgeCall& call, Waiting waiting) {
    const auto* bytes = reinterpret_cast<const char*>(&call);
    for (std::size_t sent = 0; sent < sizeof call;) {
        const ssize_t count = send(m_socket, bytes + sent, sizeof call - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return ended();
        sent += static_cast<std::size_t>(count);
    }
    return answer(waiting);
}

Result<BridgeReply> PythonProcess::answer(Waiting waiting) {
    constexpr auto kAwake = std::chrono::microseconds(200);
    const auto begin = Clock::now();
    BridgeReply reply;
    auto* bytes = reinterpret_cast<char*>(&reply);
    for (std::size_t got = 0; got < sizeof reply;) {
        const bool wasOver = isOver();  // asked first: what it sent before its end is still taken
        const ssize_t count = recv(m_socket, bytes + got, sizeof reply - got, MSG_DONTWAIT);
        if (count > 0) {
            got += static_cast<std::size_t>(count);
            continue;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR) || wasOver) return ended();
        if (waiting == Waiting::Awake && Clock::now() - begin < kAwake) continue;
        std::array<pollfd, 2> watched{{{m_socket, POLLIN, 0}, {m_output, POLLIN, 0}}};
        poll(watched.data(), watched.size(), kAskEveryMilliseconds);
        if ((watched[1].revents & (POLLIN | POLLHUP)) != 0) {
            takeOutput();
            // Nothing more comes when it has closed it: only its end is waited for.
            if ((watched[1].revents & POLLIN) == 0) {
                std::array<pollfd, 1> last{{{m_socket, POLLIN, 0}}};
                poll(last.data(), last.size(), kAskEveryMilliseconds);
            }
        }
    }
    if (reply.magic != kBridgeMagic || reply.textBytes > reply.text.size())
        return Error{ErrorCode::InvalidData, "its Python answered something else than a record"};
    takeOutput();
    return reply;
}

bool PythonProcess::isOver() {
    const std::lock_guard lock(m_end->mutex);
    return m_end->status.has_value();
}

/// What it printed is this process's stderr, too.
void PythonProcess::takeOutput() {
    std::array<char, 4096> buffer;
    while (true) {
        const ssize_t count = read(m_output, buffer.data(), buffer.size());
        if (count <= 0) return;
        if (::write(STDERR_FILENO, buffer.data(), static_cast<std::size_t>(count)) < 0) {
            // Nobody reads it: its last lines are in the error all the same.
        }
        keepLines({buffer.data(), static_cast<std::size_t>(count)});
    }
}

void PythonProcess::keepLines(std::string text) {
    for (const char c : text) {
        if (c != '\n') {
            if (m_line.size() < kMostLineBytes) m_line.push_back(c);
            continue;
        }
        if (!m_line.empty()) m_lines.push_back(std::exchange(m_line, {}));
        if (m_lines.size() > kKeptLines) m_lines.pop_front();
    }
}

Error PythonProcess::ended() {
    std::string how = "its Python closed the connection";
    {
        std::unique_lock lock(m_end->mutex);
        constexpr auto kEndPatience = std::chrono::seconds(5);
        if (m_end->changed.wait_for(lock, kEndPatience, [this] { return m_end->status.has_value(); }))
            how = wordsFor(*m_end->status);
    }
    takeOutput();
    if (!m_line.empty()) m_lines.push_back(std::exchange(m_line, {}));
    std::string said;
    for (const std::string& line : m_lines) said += (said.empty() ? ": " : " | ") + line;
    return {ErrorCode::Internal, how + said};
}

std::string textOf(const BridgeReply& reply) {
    return {reply.text.data(), std::min<std::size_t>(reply.textBytes, reply.text.size())};
}

}  // namespace reelgrid::plugins
