#include "core/attention/graphed_passes.h"

#include <algorithm>
#include <utility>

namespace reelgrid::attention {

void GraphedPasses::keep(const std::vector<at::Tensor*>& inputs) {
    m_inputs.resize(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i]->defined()) continue;
        if (m_inputs[i].defined())
            m_inputs[i].copy_(*inputs[i]);
        else
            m_inputs[i] = inputs[i]->clone();
        *inputs[i] = m_inputs[i];
    }
}

at::Tensor GraphedPasses::run(const void* subject, const std::vector<at::Tensor*>& inputs,
                              const Forward& forward, Dispatcher& dispatcher) {
    if (dispatcher.replayOfPass() == Replay::Refused) return forward();
    keep(inputs);
    PassChoices choices = dispatcher.choicesOfPass();
    const auto found = std::ranges::find_if(m_recorded, [&](const Recorded& recorded) {
        return recorded.subject == subject && recorded.choices == choices;
    });
    if (found == m_recorded.end()) {
        const at::Tensor output = forward();
        record(subject, std::move(choices), forward, dispatcher);
        return output;
    }
    found->graph->replay();
    dispatcher.replayed(found->calls);
    return found->output;
}

void GraphedPasses::record(const void* subject, PassChoices choices, const Forward& forward,
                           Dispatcher& dispatcher) {
    Recorded recorded{.subject = subject, .choices = std::move(choices)};
    recorded.calls = dispatcher.record([&] {
        recorded.graph = execution::recordGraph(
            m_gpu, [&] { recorded.output = forward(); },
            m_recorded.empty() ? nullptr : m_recorded.front().graph.get());
    });
    m_recorded.push_back(std::move(recorded));
}

}  // namespace reelgrid::attention
