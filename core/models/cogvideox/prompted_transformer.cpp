#include "core/models/cogvideox/prompted_transformer.h"

#include <utility>

#include "core/denoising/t5_prompts.h"

namespace reelgrid::models::cogvideox {

using denoising::kT5Text;

PromptedTransformer::PromptedTransformer(CogVideoXTransformer& model,
                                         const denoising::EncodedPrompts& prompts, at::Tensor picture_BCTHW)
    : PromptedNetwork(
          model, model.prepareText(prompts.prompt.at(kT5Text)),
          prompts.negative ? std::optional(model.prepareText(prompts.negative->at(kT5Text))) : std::nullopt),
      m_picture_BCTHW(std::move(picture_BCTHW)) {}

void PromptedTransformer::beginStep(const at::Tensor& latents_BCTHW, double timestep) {
    m_input = m_picture_BCTHW.defined() ? at::cat({latents_BCTHW, m_picture_BCTHW}, 1) : latents_BCTHW;
    m_step = model().embedTimestep(timestep);
}

}  // namespace reelgrid::models::cogvideox
