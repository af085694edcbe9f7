#include "app/cli/stdout_on_stderr.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <utility>

namespace reelgrid::cli {
namespace {

/// What the process has printed so far goes to where it was printed to.
void flushStdout() {
    std::cout.flush();
    std::fflush(stdout);
}

}  // namespace

StdoutOnStderr::StdoutOnStderr() : m_stdout(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    flushStdout();
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

StdoutOnStderr::~StdoutOnStderr() {
    static_cast<void>(giveBack());
}

Result<void> StdoutOnStderr::giveBack() {
    if (m_stdout < 0) return {};
    flushStdout();
    const int kept = std::exchange(m_stdout, -1);
    if (dup2(kept, STDOUT_FILENO) < 0)
        return Error{ErrorCode::Io, "stdout is gone: a kernel closed the program's files"};
    close(kept);
    return {};
}

}  // namespace reelgrid::cli
