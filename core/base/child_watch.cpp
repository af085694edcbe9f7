#include "core/base/child_watch.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace reelgrid {
namespace {

constexpr int kAskEveryMilliseconds = 20;

}  // namespace

ChildWatch::ChildWatch(pid_t child)
    : m_child(child), m_descriptor(static_cast<int>(syscall(SYS_pidfd_open, child, 0))) {}

ChildWatch::~ChildWatch() {
    if (m_descriptor >= 0) close(m_descriptor);
}

bool ChildWatch::hasEnded() const {
    siginfo_t end{};
    const int failed = waitid(P_PID, static_cast<id_t>(m_child), &end, WEXITED | WNOHANG | WNOWAIT);
    return failed == 0 ? end.si_pid == m_child : errno == ECHILD;
}

int ChildWatch::mostMilliseconds(int wanted) const {
    if (m_descriptor >= 0) return wanted;
    return wanted < 0 ? kAskEveryMilliseconds : std::min(wanted, kAskEveryMilliseconds);
}

void readWhatIsLeft(int pipe, const std::function<bool(std::string_view)>& take) {
    // As many bytes as there are now: what the child left behind may go on writing for ever.
    int left = 0;
    if (ioctl(pipe, FIONREAD, &left) != 0) return;
    std::array<char, 16384> buffer;
    while (left > 0) {
        const ssize_t count =
            read(pipe, buffer.data(), std::min(buffer.size(), static_cast<std::size_t>(left)));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || !take({buffer.data(), static_cast<std::size_t>(count)})) return;
        left -= static_cast<int>(count);
    }
}

int reapWithGroup(pid_t leader) {
    siginfo_t end{};
    int failed = 0;
    do failed = waitid(P_PID, static_cast<id_t>(leader), &end, WEXITED | WNOWAIT);
    while (failed != 0 && errno == EINTR);
    if (failed == 0) kill(-leader, SIGKILL);
    int status = 0;
    while (waitpid(leader, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

}  // namespace reelgrid
