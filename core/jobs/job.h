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
    std::string clip;   ///< when done: absolute path
    Error error;        ///< when failed
    int stepsKept = 0;  ///< when failed or cancelled: what it would not make again, resumed
    int steps = 0;      ///< of these in all; 0: none are kept
    int attempt = 1;
    bool cancelling = false;  ///< running, and asked to stop
    std::string machine{};    ///< that renders or rendered it last; empty: this one
    /// What became of a machine that vanished with it, at which it was given back to the queue. That happens
    /// once; empty: it hasn't.
    std::string givenBack{};
};

/// Whether steps are kept that it can go on from, as far as is known: those that a worker refused it can't.
[[nodiscard]] inline bool canResume(const Job& job) {
    const bool refused = job.request.resume && job.error.code == ErrorCode::InvalidData;
    return isFinished(job.state) && job.stepsKept > 0 && !refused;
}

/// Where a job that is tried again begins.
enum class Begin { AtStart, AtKeptStep };

}  // namespace reelgrid::jobs
