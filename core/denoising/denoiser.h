#pragma once

#include <ATen/ATen.h>

#include "core/attention/dispatcher.h"
#include "core/denoising/named_tensors.h"
#include "core/schedulers/scheduler.h"

namespace reelgrid::denoising {

/// One render's way from noise to latents, as SamplingLoop walks it: texts and pictures are encoded. Lives as
/// long as the loop, on its thread.
class Denoiser {
  public:
    virtual ~Denoiser() = default;

    /// The sampler, its timesteps set.
    [[nodiscard]] virtual schedulers::Scheduler& scheduler() = 0;
    /// Called once, before anything of the steps: the loop begins at this one.
    virtual void begin(int /*firstStep*/) {}
    /// What the sampler starts from, fp32 on the model's device. Called before restore() when a render is
    /// resumed, whose latents must have this shape.
    [[nodiscard]] virtual at::Tensor initialLatents() = 0;
    /// The guided prediction for `input`, Scheduler::scaleModelInput() of the latents. Also called again for
    /// a step that was made, with another dispatcher.
    [[nodiscard]] virtual at::Tensor predict(const at::Tensor& input, int step,
                                             attention::Dispatcher& attention) = 0;
    /// What becomes of the last step's latents where attention is asked for once more: called once.
    [[nodiscard]] virtual at::Tensor afterSteps(at::Tensor latents, attention::Dispatcher& /*attention*/) {
        return latents;
    }
    /// What decode() takes of these.
    [[nodiscard]] virtual at::Tensor finished(at::Tensor latents) { return latents; }

    /// What later steps depend on beside the latents and the sampler: step caches, random numbers.
    virtual void save(NamedTensors& /*into*/) const {}
    /// After begin(). Throws Failure(InvalidData) naming what is missing.
    virtual void restore(const NamedTensors& /*from*/) {}
};

}  // namespace reelgrid::denoising
