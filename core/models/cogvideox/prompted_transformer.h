#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns, M text
// tokens.

#include "core/denoising/prompt_memory.h"
#include "core/denoising/prompted_network.h"
#include "core/models/cogvideox/transformer.h"

namespace reelgrid::models::cogvideox {

/// The transformer with a render's prompts, as prepareText() makes them, and channels of image-to-video
/// models beside the latents.
class PromptedTransformer final
    : public denoising::PromptedNetwork<CogVideoXTransformer, at::Tensor, StepEmbedding> {
  public:
    PromptedTransformer(CogVideoXTransformer& model, const denoising::EncodedPrompts& prompts,
                        at::Tensor picture_BCTHW);

    void beginStep(const at::Tensor& latents_BCTHW, double timestep) override;

  private:
    at::Tensor m_picture_BCTHW;  ///< undefined in text-to-video models
};

}  // namespace reelgrid::models::cogvideox
