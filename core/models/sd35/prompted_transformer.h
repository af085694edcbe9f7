#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns, P prompts.

#include <vector>

#include "core/denoising/prompted_network.h"
#include "core/models/sd35/prompts.h"
#include "core/models/sd35/transformer.h"

namespace reelgrid::models::sd35 {

/// The transformer with a render's prompts, and the layers that skip-layer guidance leaves out.
class PromptedTransformer final
    : public denoising::PromptedNetwork<Sd35Transformer, PreparedText, StepEmbedding> {
  public:
    PromptedTransformer(Sd35Transformer& model, const EncodedTexts& texts, std::vector<int> skippedLayers);

    void beginStep(const at::Tensor& latents_BCTHW, double timestep) override;
    [[nodiscard]] at::Tensor forwardSkippingLayers(const attention::LayerContext& context) override;

  private:
    Sd35Transformer& m_transformer;
    PreparedText m_text;
    at::Tensor m_pooled_PC;
    std::vector<int> m_skippedLayers;
};

}  // namespace reelgrid::models::sd35
