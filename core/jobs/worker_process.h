#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/jobs/line_process.h"
#include "core/jobs/worker_transport.h"

namespace reelgrid::jobs {

/// How to start a worker.
struct WorkerCommandLine {
    std::filesystem::path program;
    std::vector<std::string> arguments{"worker"};
};

/// The program that serves as worker: $REELGRID_WORKER, else reelgrid-cli beside the running program.
/// NotFound names where was looked.
Result<std::filesystem::path> findWorkerProgram();

/// A running worker: a child process (LineProcess) that speaks the worker protocol. Output that isn't the
/// protocol is reported as its end, after which it is killed. The thread that calls start() must outlive the
/// process (the worker asks the kernel to die with it).
class WorkerProcess : public RunningWorker {
  public:
    static Result<std::unique_ptr<WorkerProcess>> start(const WorkerCommandLine& command,
                                                        WorkerListener listener);

    /// Hands over one line. Fails when the worker is gone or takes nothing for 5 seconds.
    Result<void> send(const protocol::WorkerCommand& command) override;
    void tellTimeIsUp() override;
    void end() override { m_process->end(); }
    void removePartialFiles(const std::filesystem::path& clip) override;
    /// The process id, also after its end.
    [[nodiscard]] pid_t pid() const { return m_process->pid(); }

  private:
    explicit WorkerProcess(std::unique_ptr<LineProcess> process) : m_process(std::move(process)) {}

    std::unique_ptr<LineProcess> m_process;
};

}  // namespace reelgrid::jobs
