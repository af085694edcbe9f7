#include "core/jobs/exit_status.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "core/protocol/worker_exit.h"

namespace reelgrid::jobs {
namespace {

constexpr std::size_t kShownErrorBytes = 400;

}  // namespace

std::string describeExit(int waitStatus) {
    if (WIFSIGNALED(waitStatus)) {
        const int signal = WTERMSIG(waitStatus);
        // The kernel ends a process that exhausts memory with SIGKILL and says nothing more.
        const char* guess = signal == SIGKILL ? "; out of memory?" : "";
        return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + guess + ")";
    }
    if (WEXITSTATUS(waitStatus) == protocol::kStreamsClosedExit)
        return "ended itself, because the plug-in that ran had closed its files and streams";
    return "ended with exit code " + std::to_string(WEXITSTATUS(waitStatus));
}

void ErrorTail::append(std::string_view bytes) {
    m_bytes.append(bytes);
    if (m_bytes.size() > kMaxErrorTail) m_bytes.erase(0, m_bytes.size() - kMaxErrorTail);
}

std::string ErrorTail::text() const {
    std::string line;
    for (const char letter : m_bytes) {
        if (letter != '\n') {
            line += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
        } else if (!line.empty() && !line.ends_with(" | ")) {
            line += " | ";
        }
    }
    if (line.ends_with(" | ")) line.erase(line.size() - 3);
    if (line.size() > kShownErrorBytes) {
        std::size_t start = line.size() - kShownErrorBytes;
        while (start < line.size() && (static_cast<unsigned char>(line[start]) & 0xC0) == 0x80) ++start;
        line = "…" + line.substr(start);
    }
    return line;
}

}  // namespace reelgrid::jobs
