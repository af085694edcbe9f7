#pragma once

// Shape legend: B = 1 clip, C latent channels, T frames, H and W latent rows and columns, E channels of the
// timestep's embedding.

#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "core/denoising/guided_model.h"
#include "core/models/animatediff/prompt.h"
#include "core/models/animatediff/unet.h"

namespace reelgrid::models::animatediff {

/// The UNet with a render's prompts.
class PromptedUnet final : public denoising::GuidedModel {
  public:
    PromptedUnet(const MotionUnet& unet, ClipTexts texts) : m_unet(unet), m_texts(std::move(texts)) {}

    void beginStep(const at::Tensor& latents_BCTHW, double timestep) override;
    [[nodiscard]] std::vector<at::Tensor*> stepTensors() override { return {&m_input_BCTHW, &m_time_1E}; }
    using GuidedModel::forward;
    [[nodiscard]] at::Tensor forward(attention::GuidanceBranch branch,
                                     const attention::LayerContext& context) override;

  private:
    const MotionUnet& m_unet;
    ClipTexts m_texts;
    at::Tensor m_input_BCTHW, m_time_1E;
};

}  // namespace reelgrid::models::animatediff
