#include "core/models/wan/graphed_forward.h"

namespace reelgrid::models::wan {

void GraphedForward::keepInputs(const at::Tensor& latents_BZFYX, const StepEmbedding& step) {
    const auto keep = [](at::Tensor& own, const at::Tensor& given) {
        if (own.defined())
            own.copy_(given);
        else
            own = given.clone();
    };
    keep(m_latents_BZFYX, latents_BZFYX);
    m_step.runs.resize(step.runs.size());
    for (std::size_t run = 0; run < step.runs.size(); ++run) {
        keep(m_step.runs[run].temb_1C, step.runs[run].temb_1C);
        keep(m_step.runs[run].modulation_16C, step.runs[run].modulation_16C);
        m_step.runs[run].tokens = step.runs[run].tokens;
    }
}

at::Tensor GraphedForward::forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                   const PreparedText& text, attention::Dispatcher& dispatcher) {
    if (dispatcher.replayOfPass() == attention::Replay::Refused)
        return m_model.forward(latents_BZFYX, step, text, dispatcher);
    keepInputs(latents_BZFYX, step);
    return m_passes.run(
        &text, [&] { return m_model.forward(m_latents_BZFYX, m_step, text, dispatcher); }, dispatcher);
}

}  // namespace reelgrid::models::wan
