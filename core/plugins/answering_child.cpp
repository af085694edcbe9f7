#include "core/plugins/answering_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/child_watch.h"

namespace reelgrid::plugins {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 20;

/// Takes the descriptor with it. Until the child's end, not the pipe's: what the child left behind may hold
/// that.
ChildAnswer readAnswer(int input, pid_t child, std::chrono::seconds patience) {
    const ChildWatch watch(child);
    ChildAnswer answer;
    const auto take = [&](std::string_view bytes) {
        answer.text.append(bytes);
        return answer.text.size() < kMostAnswerBytes;
    };
    const auto deadline = Clock::now() + patience;
    std::array<char, 4096> buffer;
    while (!watch.hasEnded()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        answer.inTime = left.count() > 0;
        if (!answer.inTime) break;
        std::array<pollfd, 2> watched{pollfd{input, POLLIN, 0}, watch.poller()};
        if (poll(watched.data(), watched.size(), watch.mostMilliseconds(static_cast<int>(left.count()))) <=
                0 ||
            watched[0].revents == 0)
            continue;
        const ssize_t count = read(input, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count > 0 && take({buffer.data(), static_cast<std::size_t>(count)})) continue;
        close(input);  // a child that goes on writing is ended by that
        input = -1;
    }
    if (input < 0) return answer;
    readWhatIsLeft(input, take);
    close(input);
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
        setpgid(0, 0);  // so that what it leaves behind is found
        close(ends[0]);
        inChild(ends[1]);
        _exit(1);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return unable("start a process");
    }
    ChildAnswer answer = readAnswer(ends[0], child, patience);
    if (!answer.inTime) kill(child, SIGKILL);
    answer.status = reapWithGroup(child);
    return answer;
}

}  // namespace reelgrid::plugins
