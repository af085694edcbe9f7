#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

#include <ATen/ATen.h>

#include <optional>

#include "core/denoising/guided_model.h"
#include "core/denoising/prompt_memory.h"
#include "core/models/wan/transformer.h"

namespace reelgrid::models::wan {

/// What an image-to-video render gives the transformer beside its prompts.
struct GivenPictures {
    at::Tensor imageEmbedding;    ///< CLIP's; undefined in models that take none
    at::Tensor frames_BCTHW;      ///< ClipEncoder::givenFrames(), of models with channels for them
    at::Tensor firstFrame_BC1HW;  ///< latents that stay as they are, of models whose tokens have timesteps

    /// The latents with the first frame that is given.
    [[nodiscard]] at::Tensor withFirstFrame(const at::Tensor& latents_BCTHW) const;
};

/// A transformer with a render's prompts and pictures.
class PromptedTransformer final : public denoising::GuidedModel {
  public:
    PromptedTransformer(WanTransformer& model, const denoising::EncodedPrompts& prompts,
                        const GivenPictures& pictures);

    void beginStep(const at::Tensor& latents_BCTHW, double timestep) override;
    [[nodiscard]] std::vector<at::Tensor*> stepTensors() override;
    [[nodiscard]] at::Tensor forward(attention::GuidanceBranch branch,
                                     const attention::LayerContext& context) override;
    [[nodiscard]] CachedPass forward(attention::GuidanceBranch branch, const attention::LayerContext& context,
                                     FirstBlockCache& cache, Skip skip) override;

  private:
    [[nodiscard]] StepEmbedding embed(double timestep) const;
    [[nodiscard]] const PreparedText& textOf(attention::GuidanceBranch branch) const {
        return branch == attention::GuidanceBranch::Conditional ? m_prompt : *m_negative;
    }

    WanTransformer& m_model;
    GivenPictures m_pictures;
    PreparedText m_prompt;
    std::optional<PreparedText> m_negative;  ///< only with guidance
    at::Tensor m_input_BCTHW;
    StepEmbedding m_step;
};

}  // namespace reelgrid::models::wan
