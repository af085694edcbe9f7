#pragma once

#include <optional>

#include "core/jobs/job_queue.h"

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// The options that verbs share whose renders run in a worker process.
class WorkerOptions {
  public:
    void addTo(CLI::App& command);

    /// A worker that knows the plug-ins that this process knows.
    [[nodiscard]] jobs::JobQueueOptions queueOptions() const;
    [[nodiscard]] bool hasTimeout() const { return m_timeoutSeconds.has_value(); }

  private:
    std::optional<double> m_timeoutSeconds;
};

}  // namespace reelgrid::cli
