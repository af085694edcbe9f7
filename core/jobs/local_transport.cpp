#include "core/jobs/local_transport.h"

#include "core/jobs/worker_process.h"
#include "core/result/interrupted_renders.h"

namespace reelgrid::jobs {

Result<std::unique_ptr<RunningWorker>> LocalTransport::start(const std::vector<std::string>& arguments,
                                                             WorkerListener listener) {
    WorkerCommandLine command{m_program, arguments};
    if (command.program.empty()) {
        auto program = findWorkerProgram();
        if (!program) return program.error();
        command.program = *std::move(program);
    }
    auto process = WorkerProcess::start(command, std::move(listener));
    if (!process) return process.error();
    return std::unique_ptr<RunningWorker>(*std::move(process));
}

KeptSteps LocalTransport::keptSteps(const std::filesystem::path& clip) {
    const auto render = result::interruptedRender(clip);
    if (!render || render->left.stepsKept == 0) return {};
    return {render->left.stepsKept, render->left.steps};
}

}  // namespace reelgrid::jobs
