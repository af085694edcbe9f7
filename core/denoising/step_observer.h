#pragma once

#include <ATen/ATen.h>

#include <functional>

#include "core/attention/dispatcher.h"

namespace reelgrid::denoising {

/// Looks at a denoising loop without being a part of it. Lives on the model's thread.
class StepObserver {
  public:
    /// The model's prediction for one step's latents, all of its passes, with any dispatcher.
    using Prediction = std::function<at::Tensor(attention::Dispatcher&)>;

    virtual ~StepObserver() = default;

    /// A step was predicted from `latents`. `predict` may be called until denoised() returns.
    virtual void predicted(int step, const at::Tensor& latents, Prediction predict) = 0;
    /// The last step was made and the stage "denoise" has ended.
    virtual void denoised(const at::Tensor& latents) = 0;
};

}  // namespace reelgrid::denoising
