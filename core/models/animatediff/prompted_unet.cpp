#include "core/models/animatediff/prompted_unet.h"

#include "core/base/result.h"
#include "core/models/animatediff/prompt.h"

namespace reelgrid::models::animatediff {
namespace {

const at::Tensor& textAt(const denoising::NamedTensors& prompt, int clipSkip) {
    const auto found = prompt.find(textOf(clipSkip));
    if (found == prompt.end())
        throw Failure(ErrorCode::BadUsage, "--clip-skip " + std::to_string(clipSkip) + ": 0 to " +
                                               std::to_string(prompt.size() - 1) +
                                               " is needed, of the text encoder's layers one has to be left");
    return found->second;
}

}  // namespace

PromptedUnet::PromptedUnet(const MotionUnet& unet, const denoising::EncodedPrompts& prompts, int clipSkip)
    : m_unet(unet), m_prompt_1NX(textAt(prompts.prompt, clipSkip)) {
    if (prompts.negative) m_negative_1NX = textAt(*prompts.negative, clipSkip);
}

void PromptedUnet::beginStep(const at::Tensor& latents_BCTHW, double timestep) {
    m_input_BCTHW = latents_BCTHW;
    m_time_1E = m_unet.embedTimestep(timestep);
}

at::Tensor PromptedUnet::forward(attention::GuidanceBranch branch, const attention::LayerContext& context) {
    const bool conditional = branch == attention::GuidanceBranch::Conditional;
    return m_unet.forward(m_input_BCTHW, m_time_1E, conditional ? m_prompt_1NX : m_negative_1NX, context)
        .to(at::kFloat);
}

}  // namespace reelgrid::models::animatediff
