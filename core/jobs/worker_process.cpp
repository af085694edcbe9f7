#include "core/jobs/worker_process.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/base/resources.h"
#include "core/jobs/partial_files.h"
#include "core/protocol/time_is_up.h"

namespace reelgrid::jobs {
namespace {

constexpr auto kSendTimeout = std::chrono::seconds(5);

}  // namespace

Result<std::filesystem::path> findWorkerProgram() {
    const char* chosen = std::getenv("REELGRID_WORKER");
    const std::filesystem::path program = chosen != nullptr && *chosen != '\0'
                                              ? std::filesystem::path(chosen)
                                              : executableFolder() / "reelgrid-cli";
    if (::access(program.c_str(), X_OK) != 0)
        return Error{ErrorCode::NotFound, "worker program " + program.string() + ": " + std::strerror(errno)};
    return program;
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const WorkerCommandLine& command,
                                                            WorkerListener listener) {
    LineListener lines{
        [told = std::move(listener.event)](const std::string& line) -> Result<void> {
            auto event = protocol::eventFromLine(line);
            if (!event)
                return Error{ErrorCode::InvalidData,
                             "sent what is not the worker protocol (" + event.error().message + ")"};
            told(*std::move(event));
            return {};
        },
        [told = std::move(listener.exited)](const std::string& how) { told("the worker " + how); }};
    auto process = LineProcess::start({command.program, command.arguments}, std::move(lines));
    if (!process) return process.error();
    return std::unique_ptr<WorkerProcess>(new WorkerProcess(*std::move(process)));
}

Result<void> WorkerProcess::send(const protocol::WorkerCommand& command) {
    return m_process->send(toLine(command), kSendTimeout);
}

void WorkerProcess::tellTimeIsUp() {
    m_process->signal(protocol::kTimeIsUpSignal);
    m_process->signal(SIGCONT);  // one that is stopped hears it only as it goes on
}

void WorkerProcess::removePartialFiles(const std::filesystem::path& clip) {
    jobs::removePartialFiles(clip, pid());
}

}  // namespace reelgrid::jobs
