#include "core/pipeline/render_attention.h"

#include <utility>

#include "core/attention/make_dispatcher.h"
#include "core/base/result.h"
#include "core/pipeline/capture_options.h"

namespace reelgrid::pipeline {
namespace {

std::unique_ptr<attention::Dispatcher> innerDispatcher(const RenderPlan& plan) {
    const catalog::RenderSettings& settings = plan.settings;
    auto policy = attention::Policy::create(settings.attentionType, settings.attentionPolicy,
                                            {plan.model.layers, settings.numInferenceSteps});
    return attention::makeDispatcher(*std::move(policy), plan.execution).value();
}

}  // namespace

RenderAttention::RenderAttention(const RenderPlan& plan) {
    auto calls = std::make_unique<CallMapDispatcher>(innerDispatcher(plan), plan.model.layers,
                                                     plan.settings.numInferenceSteps);
    m_calls = calls.get();
    m_dispatcher = std::move(calls);
    if (!plan.settings.saveInputs) return;
    auto captures = std::make_unique<capture::CapturingDispatcher>(
        std::move(m_dispatcher), captureOptions(plan.settings, plan.model, plan.clip, plan.execution));
    m_captures = captures.get();
    m_dispatcher = std::move(captures);
}

void RenderAttention::endFirst() {
    if (m_captures != nullptr) m_captures->stop();
}

std::optional<protocol::CaptureRecord> RenderAttention::finishCaptures(const RenderPlan& plan) {
    if (m_captures == nullptr) return std::nullopt;
    protocol::CaptureRecord record = m_captures->finish();
    record.folder = captureFolder(plan.settings).string();
    return record;
}

}  // namespace reelgrid::pipeline
