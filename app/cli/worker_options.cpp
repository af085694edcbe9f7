#include "app/cli/worker_options.h"

#include <CLI/CLI.hpp>

#include "app/cli/number_range.h"
#include "core/plugins/plugin_list.h"

namespace reelgrid::cli {

void WorkerOptions::addTo(CLI::App& command) {
    constexpr double kMostSeconds = 1e7;
    command
        .add_option("--job-timeout", m_timeoutSeconds,
                    "End a render that takes longer than this, and say what it was in (default: never)")
        ->type_name("SECONDS")
        ->check(numberFrom(0.001, kMostSeconds));
}

jobs::JobQueueOptions WorkerOptions::queueOptions() const {
    jobs::JobQueueOptions options;
    for (std::string& word : plugins::pluginArguments()) options.worker.arguments.push_back(std::move(word));
    if (m_timeoutSeconds)
        options.jobTimeout = std::chrono::milliseconds(static_cast<std::int64_t>(*m_timeoutSeconds * 1e3));
    return options;
}

}  // namespace reelgrid::cli
