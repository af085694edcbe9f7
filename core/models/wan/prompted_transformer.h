#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

#include <ATen/ATen.h>

#include "core/denoising/prompt_memory.h"
#include "core/denoising/prompted_network.h"
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
class PromptedTransformer final
    : public denoising::PromptedNetwork<WanTransformer, PreparedText, StepEmbedding> {
  public:
    PromptedTransformer(WanTransformer& model, const denoising::EncodedPrompts& prompts,
                        const GivenPictures& pictures);

    void beginStep(const at::Tensor& latents_BCTHW, double timestep) override;

  private:
    [[nodiscard]] StepEmbedding embed(double timestep) const;

    GivenPictures m_pictures;
};

}  // namespace reelgrid::models::wan
