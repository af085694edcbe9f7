#include "core/models/cogvideox/graphed_forward.h"

namespace reelgrid::models::cogvideox {
namespace {

void keep(at::Tensor& own, const at::Tensor& given) {
    if (!given.defined()) return;
    if (own.defined())
        own.copy_(given);
    else
        own = given.clone();
}

}  // namespace

at::Tensor GraphedForward::forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                   const at::Tensor& text_BMC, attention::Dispatcher& dispatcher) {
    if (dispatcher.replayOfPass() == attention::Replay::Refused)
        return m_model.forward(latents_BZFYX, step, text_BMC, dispatcher);
    keep(m_latents_BZFYX, latents_BZFYX);
    keep(m_step.embedding_1T, step.embedding_1T);
    keep(m_step.blocks_L12C, step.blocks_L12C);
    keep(m_step.out_2C, step.out_2C);
    return m_passes.run(
        &text_BMC, [&] { return m_model.forward(m_latents_BZFYX, m_step, text_BMC, dispatcher); },
        dispatcher);
}

}  // namespace reelgrid::models::cogvideox
