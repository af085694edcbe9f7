#include "core/models/wan/prompted_transformer.h"

#include <utility>

#include "core/models/wan/prompt.h"

namespace reelgrid::models::wan {

using attention::GuidanceBranch;

at::Tensor GivenPictures::withFirstFrame(const at::Tensor& latents_BCTHW) const {
    if (!firstFrame_BC1HW.defined()) return latents_BCTHW;
    return at::cat({firstFrame_BC1HW, latents_BCTHW.narrow(2, 1, latents_BCTHW.size(2) - 1)}, 2);
}

PromptedTransformer::PromptedTransformer(WanTransformer& model, const denoising::EncodedPrompts& prompts,
                                         const GivenPictures& pictures)
    : m_model(model),
      m_pictures(pictures),
      m_prompt(model.prepareText(prompts.prompt.at(kText), pictures.imageEmbedding)) {
    if (prompts.negative)
        m_negative = model.prepareText(prompts.negative->at(kText), pictures.imageEmbedding);
}

void PromptedTransformer::beginStep(const at::Tensor& latents_BCTHW, double timestep) {
    m_input_BCTHW = m_pictures.withFirstFrame(latents_BCTHW);
    if (m_pictures.frames_BCTHW.defined())
        m_input_BCTHW = at::cat({m_input_BCTHW, m_pictures.frames_BCTHW}, 1);
    m_step = embed(timestep);
}

/// A frame that is given has no noise: its tokens are at timestep 0.
StepEmbedding PromptedTransformer::embed(double timestep) const {
    if (!m_pictures.firstFrame_BC1HW.defined()) return m_model.embedTimestep(timestep);
    const auto& patch = m_model.config().patchSize;
    const auto tokens = m_input_BCTHW.size(3) / patch[1] * (m_input_BCTHW.size(4) / patch[2]);
    return m_model.embedTimesteps(tokens, 0, timestep);
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
    return {std::move(pass.flow_BZFYX), pass.skipped};
}

}  // namespace reelgrid::models::wan
