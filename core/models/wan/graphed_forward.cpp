#include "core/models/wan/graphed_forward.h"

#include <algorithm>

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
    std::string choices = dispatcher.choicesOfPass(static_cast<int>(m_model.config().numLayers));
    const auto found = std::ranges::find_if(m_recorded, [&](const Recorded& recorded) {
        return recorded.text == &text && recorded.choices == choices;
    });
    if (found == m_recorded.end()) {
        const at::Tensor flow = m_model.forward(m_latents_BZFYX, m_step, text, dispatcher);
        record(text, std::move(choices), dispatcher);
        return flow;
    }
    found->graph->replay();
    dispatcher.countAgain(found->calls);
    return found->flow;
}

void GraphedForward::record(const PreparedText& text, std::string choices,
                            attention::Dispatcher& dispatcher) {
    Recorded recorded{.text = &text, .choices = std::move(choices)};
    const auto ignored = dispatcher.records();
    recorded.graph = execution::recordGraph(
        m_gpu, [&] { recorded.flow = m_model.forward(m_latents_BZFYX, m_step, text, dispatcher); },
        m_recorded.empty() ? nullptr : m_recorded.front().graph.get());
    // Recording called the attention, but nothing ran: that is what each replay counts.
    recorded.calls = dispatcher.takeBackSince(ignored);
    m_recorded.push_back(std::move(recorded));
}

}  // namespace reelgrid::models::wan
