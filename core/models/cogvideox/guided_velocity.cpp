#include "core/models/cogvideox/guided_velocity.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace reelgrid::models::cogvideox {

using attention::GuidanceBranch;

namespace {

/// What the names of its caches begin with in a resume point.
constexpr const char* kCaches = "cache.";

}  // namespace

GuidedVelocity::GuidedVelocity(CogVideoXTransformer& model, Conditions conditions, Passes passes,
                               const execution::Execution& execution, pipeline::StageClock& clock)
    : m_model(model), m_conditions(std::move(conditions)), m_device(execution.device), m_clock(clock) {
    if (m_conditions.stepCache > 0) m_caches.emplace(m_conditions.stepCache);
    if (passes == Passes::Graphed) m_graphed.emplace(model, execution);
}

/// The reference's formula, which takes the training timestep for a step.
double GuidedVelocity::guidanceAt(double timestep) const {
    if (!m_conditions.dynamicSteps) return m_conditions.guidance;
    const auto steps = static_cast<double>(*m_conditions.dynamicSteps);
    const double turn = std::pow((steps - timestep) / steps, 5.0);
    return 1 + m_conditions.guidance * ((1 - std::cos(std::numbers::pi * turn)) / 2);
}

at::Tensor GuidedVelocity::predict(const at::Tensor& latents_BCTHW, double timestep, int step,
                                   attention::Dispatcher& attention) {
    const at::Tensor input = m_conditions.picture_BCTHW.defined()
                                 ? at::cat({latents_BCTHW, m_conditions.picture_BCTHW}, 1)
                                 : latents_BCTHW;
    const StepEmbedding embedding = m_model.embedTimestep(timestep);
    // The first pass decides for both: guidance draws apart what two passes made of different steps.
    auto skip = step < m_conditions.stepCacheFrom ? Skip::No : Skip::WhereClose;
    const attention::LayerContext context{attention, &m_clock.parts()};
    const auto forward = [&](const at::Tensor& text_BMC, FirstBlockCache GuidanceCaches::*cache) {
        if (m_graphed) return m_graphed->forward(input, embedding, text_BMC, attention);
        if (!m_caches) return m_model.forward(input, embedding, text_BMC, context);
        auto pass = m_model.forward(input, embedding, text_BMC, context, (*m_caches).*cache, skip);
        m_clock.countPass(pass.skipped ? pipeline::PassWork::Skipped : pipeline::PassWork::Whole);
        skip = pass.skipped ? Skip::Yes : Skip::No;
        return std::move(pass.velocity_BZFYX);
    };
    attention.beginPass(step, GuidanceBranch::Conditional);
    const at::Tensor conditional = forward(m_conditions.prompt_BMC, &GuidanceCaches::conditional);
    if (!m_conditions.negative_BMC.defined()) return conditional;
    attention.beginPass(step, GuidanceBranch::Unconditional);
    const at::Tensor unconditional = forward(m_conditions.negative_BMC, &GuidanceCaches::unconditional);
    return unconditional + guidanceAt(timestep) * (conditional - unconditional);
}

void GuidedVelocity::save(std::map<std::string, at::Tensor>& into) const {
    if (m_caches) m_caches->save(kCaches, into);
}

void GuidedVelocity::restore(const std::map<std::string, at::Tensor>& from) {
    if (m_caches) m_caches->restore(kCaches, from, m_device);
}

}  // namespace reelgrid::models::cogvideox
