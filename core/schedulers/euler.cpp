#include "core/schedulers/euler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/execution/fused_values.h"
#include "core/schedulers/flow_sigmas.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

/// Fractions where they are spread evenly, whole numbers else.
std::vector<double> eulerTimesteps(const VpTraining& training, std::int64_t steps) {
    if (training.spacing != VpSpacing::Linspace) {
        const std::vector<std::int64_t> whole = training.timesteps(steps);
        return {whole.begin(), whole.end()};
    }
    checkStepCount(steps, training.count());
    std::vector<double> timesteps = linspace(0, static_cast<double>(training.count() - 1), steps);
    std::ranges::reverse(timesteps);
    // The reference's are float32.
    for (double& timestep : timesteps) timestep = static_cast<double>(static_cast<float>(timestep));
    return timesteps;
}

}  // namespace

EulerDiscrete::EulerDiscrete(const weights::ModelConfig& config)
    : m_training(VpTraining::from(config, VpSpacing::Linspace)), m_levels(VpSigmas::from(config)) {
    if (config.textOr("interpolation_type", "linear") != "linear")
        config.unsupported("interpolation_type", "linear");
    const std::string type = config.textOr("timestep_type", "discrete");
    if (type != "discrete" && type != "continuous")
        config.unsupported("timestep_type", "discrete or continuous");
    if (type == "continuous" && m_training.prediction == VpPrediction::Velocity) m_told = Told::LogSigma;
}

void EulerDiscrete::setTimesteps(std::int64_t steps) {
    std::vector<double> timesteps = eulerTimesteps(m_training, steps);
    const std::vector<double> trained = m_training.sigmas();
    m_sigmas = m_levels.at(timesteps, m_training,
                           {sigmaAt(timesteps.front(), trained), sigmaAt(timesteps.back(), trained)});
    m_timesteps.assign(timesteps.begin(), timesteps.end());
    if (m_told == Told::Timestep) return;
    for (std::size_t i = 0; i < m_timesteps.size(); ++i) m_timesteps[i] = 0.25F * std::log(m_sigmas[i]);
}

double EulerDiscrete::initialNoiseSigma() const {
    const double most = *std::ranges::max_element(m_sigmas);
    return m_training.spacing == VpSpacing::Leading ? std::sqrt(most * most + 1) : most;
}

at::Tensor EulerDiscrete::scaleModelInput(const at::Tensor& sample, std::int64_t i) const {
    const double sigma = m_sigmas.at(static_cast<std::size_t>(i));
    return sample / std::sqrt(sigma * sigma + 1);
}

at::Tensor EulerDiscrete::movedTo(double sigma, const at::Tensor& modelOutput, std::int64_t i,
                                  const at::Tensor& sample) const {
    const double from = m_sigmas.at(static_cast<std::size_t>(i));
    execution::FusedValues values;
    const auto x = values.of(sample.to(at::kFloat)), output = values.of(modelOutput.to(at::kFloat));
    const double variance = from * from + 1;
    auto picture = output;
    if (m_training.prediction == VpPrediction::Noise) picture = x - from * output;
    if (m_training.prediction == VpPrediction::Velocity)
        picture = output * (-from / std::sqrt(variance)) + x / variance;
    return values.made(x + (x - picture) / from * (sigma - from));
}

at::Tensor EulerDiscrete::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    return movedTo(m_sigmas.at(static_cast<std::size_t>(i) + 1), modelOutput, i, sample);
}

EulerAncestral::EulerAncestral(const weights::ModelConfig& config, NoiseSource noise)
    : EulerDiscrete(VpTraining::from(config, VpSpacing::Linspace)), m_noise(std::move(noise)) {
    if (prediction() == VpPrediction::Picture)
        config.unsupported("prediction_type", "epsilon or v_prediction");
}

at::Tensor EulerAncestral::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const double from = m_sigmas.at(static_cast<std::size_t>(i));
    const double to = m_sigmas.at(static_cast<std::size_t>(i) + 1);
    const double up = std::sqrt(to * to * (from * from - to * to) / (from * from));
    const double down = std::sqrt(to * to - up * up);
    // Drawn at the last level, too, where it counts for nothing: the reference's stream goes on as this one.
    const at::Tensor moved = movedTo(down, modelOutput, i, sample);
    return moved + m_noise().to(moved.options()) * up;
}

}  // namespace reelgrid::schedulers
