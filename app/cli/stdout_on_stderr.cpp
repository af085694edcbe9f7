#include "app/cli/stdout_on_stderr.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

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
    flushStdout();
    dup2(m_stdout, STDOUT_FILENO);
    close(m_stdout);
}

}  // namespace reelgrid::cli
