#include "core/plugins/answering_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

namespace reelgrid::plugins {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 20;

ChildAnswer readAnswer(int input, std::chrono::seconds patience) {
    ChildAnswer answer;
    const auto deadline = Clock::now() + patience;
    std::array<char, 4096> buffer;
    while (answer.text.size() < kMostAnswerBytes) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd readable{input, POLLIN, 0};
        const int ready = left.count() <= 0 ? 0 : poll(&readable, 1, static_cast<int>(left.count()));
        if (ready < 0 && errno == EINTR) continue;
        answer.inTime = ready > 0;
        if (!answer.inTime) break;
        const ssize_t count = read(input, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        answer.text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return answer;
}

Error unable(const std::string& what) {
    return {ErrorCode::Internal, "can't " + what + ": " + std::strerror(errno)};
}

}  // namespace

Result<ChildAnswer> answerOfChild(std::chrono::seconds patience,
                                  const std::function<void(int output)>& inChild) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return unable("make a pipe");
    std::fflush(nullptr);  // what is buffered would be written by both
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        inChild(ends[1]);
        _exit(1);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return unable("start a process");
    }
    ChildAnswer answer = readAnswer(ends[0], patience);
    close(ends[0]);
    if (!answer.inTime) kill(child, SIGKILL);
    while (waitpid(child, &answer.status, 0) < 0 && errno == EINTR) {
    }
    return answer;
}

}  // namespace reelgrid::plugins
