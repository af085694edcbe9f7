#include "app/cli/stdout_on_stderr.h"

#include <fcntl.h>
#include <sys/stat.h>
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

/// Which file a descriptor is of: its device and its number there.
std::pair<dev_t, ino_t> fileOf(int descriptor) {
    struct stat found {};
    return fstat(descriptor, &found) == 0 ? std::pair(found.st_dev, found.st_ino) : std::pair<dev_t, ino_t>();
}

}  // namespace

StdoutOnStderr::StdoutOnStderr()
    : m_stdout(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)), m_file(fileOf(m_stdout)) {
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
    if (fileOf(kept) != m_file || dup2(kept, STDOUT_FILENO) < 0)
        return Error{ErrorCode::Io, "stdout is gone: a kernel closed the program's files"};
    close(kept);
    return {};
}

}  // namespace reelgrid::cli
