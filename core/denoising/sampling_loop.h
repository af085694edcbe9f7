#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/denoising/denoiser.h"
#include "core/denoising/finite_steps.h"
#include "core/denoising/resume_point.h"
#include "core/denoising/stage_clock.h"
#include "core/denoising/step_observer.h"

namespace reelgrid::denoising {

/// Who follows a sampling loop.
struct LoopFollowers {
    std::vector<StepObserver*> observers{};
    ResumePoints* resume = nullptr;  ///< null: the loop begins at the first step and keeps nothing
};

/// The stage "denoise" of every family: a step is a prediction of the denoiser and a step of its sampler.
class SamplingLoop {
  public:
    SamplingLoop(Denoiser& denoiser, LoopFollowers followers, at::Device device, StageClock& clock);

    /// Denoiser::finished() of the last step's latents. Throws Failure: Cancelled between two steps,
    /// InvalidData naming the step that left NaN or infinite values.
    [[nodiscard]] at::Tensor run(attention::Dispatcher& attention);

  private:
    [[nodiscard]] at::Tensor restored(const ResumePoint& point, at::IntArrayRef shape);
    [[nodiscard]] at::Tensor next(const at::Tensor& latents, int step, attention::Dispatcher& attention);
    void keepPoint(int done, int steps, const at::Tensor& latents);

    Denoiser& m_denoiser;
    schedulers::Scheduler& m_scheduler;
    LoopFollowers m_followers;
    at::Device m_device;
    StageClock& m_clock;
    FiniteSteps m_finite;
};

}  // namespace reelgrid::denoising
