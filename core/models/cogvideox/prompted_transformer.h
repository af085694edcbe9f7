#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns, M text
// tokens.

#include <ATen/ATen.h>

#include "core/denoising/guided_model.h"
#include "core/denoising/prompt_memory.h"
#include "core/models/cogvideox/transformer.h"

namespace reelgrid::models::cogvideox {

/// The transformer with a render's prompts, and channels of image-to-video models beside the latents.
class PromptedTransformer final : public denoising::GuidedModel {
  public:
    PromptedTransformer(CogVideoXTransformer& model, const denoising::EncodedPrompts& prompts,
                        at::Tensor picture_BCTHW);

    void beginStep(const at::Tensor& latents_BCTHW, double timestep) override;
    [[nodiscard]] std::vector<at::Tensor*> stepTensors() override;
    [[nodiscard]] at::Tensor forward(attention::GuidanceBranch branch,
                                     const attention::LayerContext& context) override;
    [[nodiscard]] CachedPass forward(attention::GuidanceBranch branch, const attention::LayerContext& context,
                                     FirstBlockCache& cache, Skip skip) override;

  private:
    [[nodiscard]] const at::Tensor& textOf(attention::GuidanceBranch branch) const {
        return branch == attention::GuidanceBranch::Conditional ? m_prompt_BMC : m_negative_BMC;
    }

    CogVideoXTransformer& m_model;
    at::Tensor m_prompt_BMC, m_negative_BMC;  ///< prepareText(); without guidance no negative
    at::Tensor m_picture_BCTHW;               ///< undefined in text-to-video models
    at::Tensor m_input_BCTHW;
    StepEmbedding m_step;
};

}  // namespace reelgrid::models::cogvideox
