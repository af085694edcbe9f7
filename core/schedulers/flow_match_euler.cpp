#include "core/schedulers/flow_match_euler.h"

#include "core/execution/fused_values.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

/// The training schedule's own shifted level, in the reference's float32.
double trainedSigma(std::int64_t timestep, const FlowSigmas& flow) {
    const float sigma = static_cast<float>(timestep) / static_cast<float>(flow.trainTimesteps);
    const float denominator = static_cast<float>(flow.shift - 1) * sigma + 1.0F;
    return static_cast<double>(static_cast<float>(flow.shift) * sigma / denominator);
}

}  // namespace

std::unique_ptr<Scheduler> FlowMatchEuler::make(const SchedulerSource& source) {
    const FlowSigmas sigmas = FlowSigmas::from(source.config, source.stored.shiftKey, source.flowShift);
    if (source.isStored) {
        for (const char* key : {"stochastic_sampling", "invert_sigmas"})
            if (source.config.flagOr(key, false)) source.config.unsupported(key, "false");
    } else if (sigmas.spacing != SigmaSpacing::Shifted) {
        // A spacing means other levels in each sampler.
        source.config.unsupported(keyOf(sigmas.spacing), "false for " + std::string(source.stored.option));
    }
    return std::make_unique<FlowMatchEuler>(sigmas);
}

void FlowMatchEuler::setTimesteps(std::int64_t steps) {
    checkStepCount(steps, m_flow.trainTimesteps);
    const auto train = static_cast<double>(m_flow.trainTimesteps);
    // The ends are shifted already and are shifted once more below: so does the reference.
    std::vector<double> levels =
        linspace(trainedSigma(m_flow.trainTimesteps, m_flow) * train, trainedSigma(1, m_flow) * train, steps);
    for (double& level : levels) level /= train;
    m_flow.apply(levels);

    m_sigmas.assign(levels.begin(), levels.end());
    m_timesteps.clear();
    for (const float sigma : m_sigmas) m_timesteps.push_back(sigma * static_cast<float>(train));
    m_sigmas.push_back(0);
}

at::Tensor FlowMatchEuler::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const auto index = static_cast<std::size_t>(i);
    const float dt = m_sigmas.at(index + 1) - m_sigmas.at(index);
    execution::FusedValues values;
    return values.made(values.of(sample.to(at::kFloat)) + values.of(modelOutput.to(at::kFloat)) * dt);
}

}  // namespace reelgrid::schedulers
