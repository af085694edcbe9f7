#pragma once

#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/jobs/job_queue.h"
#include "core/protocol/render_progress.h"
#include "core/protocol/render_request.h"

namespace reelgrid::cli {

/// Whether the request asks for a stranger's code somewhere: attention type, policy or lockstep.
bool asksForPlugin(const protocol::RenderRequest& request);

/// One render in a worker process, so that whatever ends it leaves this process to say so. As
/// pipeline::Renderer::render(), with progress told on another thread.
Result<std::string> renderInWorker(const protocol::RenderRequest& request,
                                   const jobs::JobQueueOptions& options,
                                   const protocol::ProgressCallback& progress, const std::stop_token& stop);

}  // namespace reelgrid::cli
