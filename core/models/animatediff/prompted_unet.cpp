#include "core/models/animatediff/prompted_unet.h"

namespace reelgrid::models::animatediff {

void PromptedUnet::beginStep(const at::Tensor& latents_BCTHW, double timestep) {
    m_input_BCTHW = latents_BCTHW;
    m_time_1E = m_unet.embedTimestep(timestep);
}

at::Tensor PromptedUnet::forward(attention::GuidanceBranch branch, const attention::LayerContext& context) {
    const bool conditional = branch == attention::GuidanceBranch::Conditional;
    return m_unet.forward(m_input_BCTHW, m_time_1E, conditional ? m_texts.prompt : m_texts.negative, context)
        .to(at::kFloat);
}

}  // namespace reelgrid::models::animatediff
