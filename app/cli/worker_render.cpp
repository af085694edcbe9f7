#include "app/cli/worker_render.h"

#include <algorithm>

#include "core/protocol/asked_backends.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {

bool asksForPlugin(const protocol::RenderRequest& request) {
    const auto isPlugin = [](const std::string& name) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        return backend != nullptr && backend->plugin != nullptr;
    };
    return std::ranges::any_of(protocol::askedBackends(request), isPlugin);
}

Result<std::string> renderInWorker(const protocol::RenderRequest& request,
                                   const jobs::JobQueueOptions& options,
                                   const protocol::ProgressCallback& progress, const std::stop_token& stop) {
    jobs::JobQueue queue(options, [&progress](const jobs::Job& job) {
        if (job.state == jobs::JobState::Running && !job.progress.stage.empty()) progress(job.progress);
    });
    if (auto submitted = queue.submit(request); !submitted) return submitted.error();
    const std::stop_callback cancel(stop, [&queue] { queue.cancelAll(); });
    queue.waitUntilIdle();
    const jobs::Job job = queue.jobs().front();
    if (job.state == jobs::JobState::Done) return job.clip;
    if (job.state == jobs::JobState::Failed) return job.error;
    return Error{ErrorCode::Cancelled, "cancelled"};
}

}  // namespace reelgrid::cli
