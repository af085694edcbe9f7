#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>

#include "core/pipeline/resume_point.h"
#include "core/pipeline/stage_clock.h"
#include "core/schedulers/scheduler.h"

namespace reelgrid::pipeline {

/// Makes the sampler what it was at the point; the latents there, on the device. What else the loop remembers
/// is left to it.
at::Tensor takeUp(const ResumePoint& point, schedulers::Scheduler& scheduler, at::Device device);

/// What a loop remembers besides latents and sampler, by names of its own.
using AddToPoint = std::function<void(std::map<std::string, at::Tensor>& tensors)>;

/// Gives `points`, where it wants one, what the loop is after `done` steps; null: nobody asks. A sampler that
/// can't tell its state is kept nothing of. Throws Failure when the point can't be written.
void keepPoint(ResumePoints* points, int done, const at::Tensor& latents,
               const schedulers::Scheduler& scheduler, const AddToPoint& add, StageClock& clock);

}  // namespace reelgrid::pipeline
