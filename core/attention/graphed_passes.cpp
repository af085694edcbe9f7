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
    std::string choices = dispatcher.choicesOfPass(m_layers);
    const auto found = std::ranges::find_if(m_recorded, [&](const Recorded& recorded) {
        return recorded.subject == subject && recorded.choices == choices;
    });
    if (found == m_recorded.end()) {
        const at::Tensor output = forward();
        record(subject, std::move(choices), forward, dispatcher);
        return output;
    }
    found->graph->replay();
    dispatcher.countAgain(found->calls);
    return found->output;
}

void GraphedPasses::record(const void* subject, std::string choices, const Forward& forward,
                           Dispatcher& dispatcher) {
    Recorded recorded{.subject = subject, .choices = std::move(choices)};
    const auto ignored = dispatcher.records();
    recorded.graph = execution::recordGraph(
        m_gpu, [&] { recorded.output = forward(); },
        m_recorded.empty() ? nullptr : m_recorded.front().graph.get());
    // Recording called the attention, but nothing ran: that is what each replay counts.
    recorded.calls = dispatcher.takeBackSince(ignored);
    m_recorded.push_back(std::move(recorded));
}

}  // namespace reelgrid::attention
