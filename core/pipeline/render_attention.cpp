#include "core/pipeline/render_attention.h"

#include <utility>

#include "core/attention/make_dispatcher.h"
#include "core/base/result.h"
#include "core/pipeline/capture_options.h"

namespace reelgrid::pipeline {
namespace {

std::unique_ptr<attention::Dispatcher> dispatcherOf(const RenderPlan& plan) {
    const catalog::RenderSettings& settings = plan.settings;
    auto policy = attention::Policy::create(settings.attentionType, settings.attentionPolicy,
                                            {plan.model.layers, plan.steps});
    return attention::makeDispatcher(*std::move(policy), plan.execution, callSettingsOf(plan)).value();
}

}  // namespace

attention::CallSettings callSettingsOf(const RenderPlan& plan) {
    return {.slaTopk = plan.settings.slaTopk,
            .options = attention::BackendOptions::create(plan.settings.backendOption).value(),
            .family = plan.model.family};
}

RenderAttention::RenderAttention(const RenderPlan& plan)
    : m_calls(plan.model.layers, plan.steps), m_dispatcher(dispatcherOf(plan)) {
    m_dispatcher->observe(m_calls);
    // Of several ranks the first one saves what it attends to: all tokens of its heads.
    if (plan.settings.saveInputs && plan.writes())
        m_dispatcher->observe(
            m_captures.emplace(captureOptions(plan.settings, plan.model, plan.clip, plan.execution)));
}

void RenderAttention::endFirst() {
    if (m_captures) m_captures->stop();
}

std::optional<protocol::CaptureRecord> RenderAttention::finishCaptures(const RenderPlan& plan) {
    if (!m_captures) return std::nullopt;
    protocol::CaptureRecord record = m_captures->finish();
    record.folder = captureFolder(plan.settings).string();
    return record;
}

}  // namespace reelgrid::pipeline
