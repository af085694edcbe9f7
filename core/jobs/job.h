#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/protocol/render_request.h"
#include "core/protocol/worker_message.h"

namespace reelgrid::jobs {

enum class JobState { Queued, Running, Done, Failed, Cancelled };

/// "queued", "running", …
const char* nameOf(JobState state);

/// Done, failed or cancelled: nothing more happens to it unless it is retried.
[[nodiscard]] inline bool isFinished(JobState state) {
    return state != JobState::Queued && state != JobState::Running;
}

/// One render and what has become of it: a value, safe to keep and to hand to another thread.
struct Job {
    std::string id;
    protocol::RenderRequest request;
    JobState state = JobState::Queued;
    protocol::RenderProgress progress;  ///< the latest; stage is empty until the worker reported one
    /// While it denoises, where its latents have known colours; null: none came.
    std::shared_ptr<const protocol::RenderPreview> preview{};
    std::string clip;  ///< when done: absolute path
    Error error;       ///< when failed
    int attempt = 1;
    bool cancelling = false;  ///< running, and asked to stop
};

}  // namespace reelgrid::jobs
