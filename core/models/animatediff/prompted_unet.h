#pragma once

// Shape legend: B = 1 clip, C latent channels, T frames, H and W latent rows and columns, N text tokens, X
// channels of text.

#include <ATen/ATen.h>

#include "core/denoising/guided_model.h"
#include "core/denoising/prompt_memory.h"
#include "core/models/animatediff/unet.h"

namespace reelgrid::models::animatediff {

/// The UNet with a render's prompts.
class PromptedUnet final : public denoising::GuidedModel {
  public:
    /// `clipSkip`: of the layers that the prompts' tensors name. Throws Failure(BadUsage) when none is left.
    PromptedUnet(const MotionUnet& unet, const denoising::EncodedPrompts& prompts, int clipSkip);

    void beginStep(const at::Tensor& latents_BCTHW, double timestep) override;
    [[nodiscard]] std::vector<at::Tensor*> stepTensors() override { return {&m_input_BCTHW, &m_time_1E}; }
    [[nodiscard]] at::Tensor forward(attention::GuidanceBranch branch,
                                     const attention::LayerContext& context) override;
    [[nodiscard]] int layers() const override { return m_unet.config().places(); }

  private:
    const MotionUnet& m_unet;
    at::Tensor m_prompt_1NX, m_negative_1NX;  ///< without guidance no negative
    at::Tensor m_input_BCTHW, m_time_1E;
};

}  // namespace reelgrid::models::animatediff
