#pragma once

#include "core/jobs/worker_transport.h"

namespace reelgrid::jobs {

/// Workers that are child processes of this one (WorkerProcess).
class LocalTransport : public WorkerTransport {
  public:
    /// Empty: findWorkerProgram(), looked for at each start.
    explicit LocalTransport(std::filesystem::path program = {}) : m_program(std::move(program)) {}

    Result<std::unique_ptr<RunningWorker>> start(const std::vector<std::string>& arguments,
                                                 WorkerListener listener) override;
    KeptSteps keptSteps(const std::filesystem::path& clip) override;

  private:
    std::filesystem::path m_program;
};

}  // namespace reelgrid::jobs
