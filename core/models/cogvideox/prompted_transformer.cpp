#include "core/models/cogvideox/prompted_transformer.h"

#include <utility>

#include "core/models/cogvideox/prompt.h"

namespace reelgrid::models::cogvideox {

using attention::GuidanceBranch;

PromptedTransformer::PromptedTransformer(CogVideoXTransformer& model,
                                         const denoising::EncodedPrompts& prompts, at::Tensor picture_BCTHW)
    : m_model(model),
      m_prompt_BMC(model.prepareText(prompts.prompt.at(kText))),
      m_picture_BCTHW(std::move(picture_BCTHW)) {
    if (prompts.negative) m_negative_BMC = model.prepareText(prompts.negative->at(kText));
}

void PromptedTransformer::beginStep(const at::Tensor& latents_BCTHW, double timestep) {
    m_input_BCTHW = m_picture_BCTHW.defined() ? at::cat({latents_BCTHW, m_picture_BCTHW}, 1) : latents_BCTHW;
    m_step = m_model.embedTimestep(timestep);
}

std::vector<at::Tensor*> PromptedTransformer::stepTensors() {
    std::vector<at::Tensor*> tensors = m_step.tensors();
    tensors.push_back(&m_input_BCTHW);
    return tensors;
}

at::Tensor PromptedTransformer::forward(GuidanceBranch branch, const attention::LayerContext& context) {
    return m_model.forward(m_input_BCTHW, m_step, textOf(branch), context);
}

denoising::GuidedModel::CachedPass PromptedTransformer::forward(GuidanceBranch branch,
                                                                const attention::LayerContext& context,
                                                                FirstBlockCache& cache, Skip skip) {
    auto pass = m_model.forward(m_input_BCTHW, m_step, textOf(branch), context, cache, skip);
    return {std::move(pass.velocity_BZFYX), pass.skipped};
}

}  // namespace reelgrid::models::cogvideox
