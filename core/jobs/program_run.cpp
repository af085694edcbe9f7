#include "core/jobs/program_run.h"

#include <csignal>
#include <future>

#include "core/jobs/exit_status.h"

namespace reelgrid::jobs {

Result<void> runProgram(const ProcessCommandLine& command,
                        std::function<Result<void>(const std::string&)> line, const std::stop_token& stop,
                        std::optional<std::chrono::seconds> patience) {
    std::promise<std::string> ended;
    std::future<std::string> end = ended.get_future();
    auto process = LineProcess::start(
        command, {std::move(line), [&ended](std::string how) { ended.set_value(std::move(how)); }});
    if (!process) return process.error();
    const std::stop_callback cancel(stop, [&] { (*process)->signal(SIGKILL); });
    if (patience && end.wait_for(*patience) == std::future_status::timeout) {
        (*process)->signal(SIGKILL);
        end.wait();
        return Error{ErrorCode::Internal, command.program.string() + " was still running after " +
                                              std::to_string(patience->count()) + " s"};
    }
    const std::string how = end.get();
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "cancelled"};
    // Exit code 0; warnings may follow.
    if (how.starts_with(describeExit(0))) return {};
    return Error{ErrorCode::Internal, command.program.string() + " " + how};
}

Result<std::string> outputOf(const ProcessCommandLine& command, std::size_t mostBytes,
                             const std::stop_token& stop, std::optional<std::chrono::seconds> patience) {
    std::string output;
    auto run = runProgram(
        command,
        [&](const std::string& line) -> Result<void> {
            if (output.size() + line.size() >= mostBytes)
                return Error{ErrorCode::InvalidData,
                             "printed more than " + std::to_string(mostBytes) + " bytes"};
            output += line + "\n";
            return {};
        },
        stop, patience);
    if (!run) return run.error();
    return output;
}

}  // namespace reelgrid::jobs
