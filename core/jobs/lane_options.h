#pragma once

#include <memory>
#include <string>

#include "core/jobs/worker_transport.h"

namespace reelgrid::jobs {

/// Where a queue's jobs can run, one at a time.
struct LaneOptions {
    /// As --device names it: jobs that name no device are rendered on it, those that name another one aren't
    /// rendered here. Empty: any job is, on the device that it names or its worker chooses.
    std::string device{};
    std::shared_ptr<WorkerTransport> transport{};  ///< null: child processes of this one
};

}  // namespace reelgrid::jobs
