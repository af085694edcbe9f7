#include "app/cli/case_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/base/child_watch.h"
#include "core/jobs/exit_status.h"
#include "core/jobs/file_descriptor.h"
#include "core/protocol/line_buffer.h"
#include "core/protocol/time_is_up.h"

extern char** environ;

namespace reelgrid::cli {
namespace {

using Clock = std::chrono::steady_clock;
using jobs::FileDescriptor;

constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;
constexpr auto kLastWords = std::chrono::seconds(2);
constexpr int kPollMilliseconds = 100;

struct Pipe {
    FileDescriptor ours, theirs;
};

Pipe makePipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        throw Failure(ErrorCode::Internal, std::string("can't make a pipe: ") + std::strerror(errno));
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// This process's environment with the variables given, "NAME=VALUE", in place of its own.
std::vector<std::string> environmentWith(const std::vector<std::string>& variables) {
    std::vector<std::string> all = variables;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view own = *entry;
        const std::string_view name = own.substr(0, own.find('=') + 1);
        const bool isGiven = std::ranges::any_of(
            variables, [&](const std::string& each) { return std::string_view(each).starts_with(name); });
        if (!isGiven) all.emplace_back(own);
    }
    return all;
}

/// As posix_spawn takes them; they point into the words.
std::vector<char*> pointersTo(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

Result<pid_t> start(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                    int output, int errors) {
    std::vector<std::string> words{"reelgrid-cli"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = environmentWith(environment);
    const std::vector<char*> argv = pointersTo(words), envp = pointersTo(variables);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    // Ctrl-C is for this process, which ends the other.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t pid = -1;
    const int failed = posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0)
        return Error{ErrorCode::Internal, std::string("can't start a process: ") + std::strerror(failed)};
    return pid;
}

/// What is there to read; empty at the end.
std::string_view readSome(int descriptor, std::array<char, 4096>& buffer) {
    ssize_t count = 0;
    do count = ::read(descriptor, buffer.data(), buffer.size());
    while (count < 0 && errno == EINTR);
    return {buffer.data(), std::size_t(count > 0 ? count : 0)};
}

}  // namespace

Result<ProcessEnd> runCases(const std::vector<std::string>& arguments, std::chrono::milliseconds patience,
                            const std::function<void(const std::string& line)>& onLine,
                            const std::stop_token& stop, const std::vector<std::string>& environment) {
    Pipe output = makePipe(), errors = makePipe();
    const auto pid = start(arguments, environment, output.theirs.get(), errors.theirs.get());
    if (!pid) return pid.error();
    output.theirs.reset();
    errors.theirs.reset();
    protocol::LineBuffer lines(kMostLineBytes);
    jobs::ErrorTail said;
    ProcessEnd end;
    std::array<char, 4096> buffer;
    const ChildWatch watch(*pid);
    auto deadline = Clock::now() + patience;
    const auto takeOutput = [&](std::string_view bytes) {
        lines.append(bytes);
        while (const auto line = lines.next()) {
            onLine(*line);
            deadline = Clock::now() + patience;
        }
        return true;
    };
    const auto takeErrors = [&](std::string_view bytes) {
        said.append(bytes);
        return true;
    };
    while (!watch.hasEnded()) {
        std::array<pollfd, 3> watched{pollfd{output.ours.get(), POLLIN, 0},
                                      pollfd{errors.ours.get(), POLLIN, 0}, watch.poller()};
        ::poll(watched.data(), watched.size(), watch.mostMilliseconds(kPollMilliseconds));
        if (output.ours.open() && watched[0].revents != 0) {
            const std::string_view bytes = readSome(output.ours.get(), buffer);
            if (bytes.empty()) output.ours.reset();
            takeOutput(bytes);
        }
        if (errors.ours.open() && watched[1].revents != 0) {
            const std::string_view bytes = readSome(errors.ours.get(), buffer);
            if (bytes.empty()) errors.ours.reset();
            takeErrors(bytes);
        }
        const bool late = Clock::now() > deadline;
        if (late && end.reason == ProcessEnd::Reason::Finished) {
            end.reason = ProcessEnd::Reason::TookTooLong;
            ::kill(*pid, protocol::kTimeIsUpSignal);
            ::kill(*pid, SIGCONT);  // one that is stopped hears it only as it goes on
            deadline = Clock::now() + kLastWords;
        } else if (stop.stop_requested() || late) {
            if (stop.stop_requested()) end.reason = ProcessEnd::Reason::Interrupted;
            ::kill(*pid, SIGKILL);
        }
    }
    if (output.ours.open()) readWhatIsLeft(output.ours.get(), takeOutput);
    if (errors.ours.open()) readWhatIsLeft(errors.ours.get(), takeErrors);
    const int status = reapWithGroup(*pid);
    if (end.reason == ProcessEnd::Reason::Finished && status != 0) end.reason = ProcessEnd::Reason::Died;
    if (end.reason == ProcessEnd::Reason::Finished) return end;
    const std::string words = said.text();
    end.words = !words.empty() ? words : "the process " + jobs::describeExit(status);
    return end;
}

}  // namespace reelgrid::cli
