#include "core/models/cogvideox/guided_velocity.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace reelgrid::models::cogvideox {

using attention::GuidanceBranch;

GuidedVelocity::GuidedVelocity(CogVideoXTransformer& model, Conditions conditions, Passes passes,
                               const execution::Execution& execution, execution::PartClock& parts)
    : m_model(model), m_conditions(std::move(conditions)), m_parts(parts) {
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
    const auto forward = [&](const at::Tensor& text_BMC) {
        return m_graphed ? m_graphed->forward(input, embedding, text_BMC, attention)
                         : m_model.forward(input, embedding, text_BMC, attention, &m_parts);
    };
    attention.beginPass(step, GuidanceBranch::Conditional);
    const at::Tensor conditional = forward(m_conditions.prompt_BMC);
    if (!m_conditions.negative_BMC.defined()) return conditional;
    attention.beginPass(step, GuidanceBranch::Unconditional);
    const at::Tensor unconditional = forward(m_conditions.negative_BMC);
    return unconditional + guidanceAt(timestep) * (conditional - unconditional);
}

}  // namespace reelgrid::models::cogvideox
