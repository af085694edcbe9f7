#include "core/models/wan/prompted_transformer.h"

#include <optional>

#include "core/models/wan/prompt.h"

namespace reelgrid::models::wan {

at::Tensor GivenPictures::withFirstFrame(const at::Tensor& latents_BCTHW) const {
    if (!firstFrame_BC1HW.defined()) return latents_BCTHW;
    return at::cat({firstFrame_BC1HW, latents_BCTHW.narrow(2, 1, latents_BCTHW.size(2) - 1)}, 2);
}

PromptedTransformer::PromptedTransformer(WanTransformer& model, const denoising::EncodedPrompts& prompts,
                                         const GivenPictures& pictures)
    : PromptedNetwork(model, model.prepareText(prompts.prompt.at(kText), pictures.imageEmbedding),
                      prompts.negative ? std::optional(model.prepareText(prompts.negative->at(kText),
                                                                         pictures.imageEmbedding))
                                       : std::nullopt),
      m_pictures(pictures) {}

void PromptedTransformer::beginStep(const at::Tensor& latents_BCTHW, double timestep) {
    m_input = m_pictures.withFirstFrame(latents_BCTHW);
    if (m_pictures.frames_BCTHW.defined()) m_input = at::cat({m_input, m_pictures.frames_BCTHW}, 1);
    m_step = embed(timestep);
}

/// A frame that is given has no noise: its tokens are at timestep 0.
StepEmbedding PromptedTransformer::embed(double timestep) const {
    if (!m_pictures.firstFrame_BC1HW.defined()) return model().embedTimestep(timestep);
    const auto& patch = model().config().patchSize;
    const auto tokens = m_input.size(3) / patch[1] * (m_input.size(4) / patch[2]);
    return model().embedTimesteps(tokens, 0, timestep);
}

}  // namespace reelgrid::models::wan
