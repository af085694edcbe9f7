#include "core/schedulers/lcm.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {

Lcm::Lcm(const weights::ModelConfig& config, NoiseSource noise)
    : m_training(VpTraining::from(config, VpSpacing::Leading, kUsualNoise)),
      m_originalSteps(config.positiveOr("original_inference_steps", 50)),
      m_timestepScaling(config.numberOr("timestep_scaling", 10)),
      m_clipRange(clipRangeOf(config, false)),
      m_noise(std::move(noise)) {
    if (m_originalSteps > m_training.count())
        config.invalid("original_inference_steps", "at most num_train_timesteps");
    if (!(std::isfinite(m_timestepScaling) && m_timestepScaling > 0))
        config.invalid("timestep_scaling", "a number above 0");
    if (m_training.terminalSnr == TerminalSnr::Zero && m_training.prediction == VpPrediction::Noise)
        config.unsupported("rescale_betas_zero_snr", "false for a prediction_type of epsilon");
}

void Lcm::setTimesteps(std::int64_t steps) {
    if (steps < 1 || steps > m_originalSteps)
        throw Failure(ErrorCode::BadUsage, "num_inference_steps is " + std::to_string(steps) + ", 1 to " +
                                               std::to_string(m_originalSteps) +
                                               " is needed, as many as the model was distilled with");
    const std::int64_t stride = m_training.count() / m_originalSteps;
    m_steps.clear();
    for (std::int64_t i = 0; i < steps; ++i) {
        const auto skipped = static_cast<std::int64_t>(std::floor(
            static_cast<double>(i) * (static_cast<double>(m_originalSteps) / static_cast<double>(steps))));
        m_steps.push_back((m_originalSteps - skipped) * stride - 1);
    }
    m_timesteps.assign(m_steps.begin(), m_steps.end());
    m_sigmas.clear();
    for (const std::int64_t timestep : m_steps)
        m_sigmas.push_back(
            static_cast<float>(std::sqrt(1 - double(m_training.alphasCumprod[std::size_t(timestep)]))));
    m_sigmas.push_back(0);
}

at::Tensor Lcm::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    constexpr double kSigmaData = 0.5;
    const auto at = static_cast<std::size_t>(i);
    const double alpha = m_training.alphasCumprod[std::size_t(m_steps.at(at))];
    const double scaled = static_cast<double>(m_steps[at]) * m_timestepScaling;
    const double variance = scaled * scaled + kSigmaData * kSigmaData;
    execution::FusedValues meaning, values;
    const at::Tensor from = sample.to(at::kFloat);
    const Value meant =
        pictureOf(m_training.prediction, alpha, meaning.of(from), meaning.of(modelOutput.to(at::kFloat)));
    at::Tensor clipped = meaning.made(meant);
    if (m_clipRange > 0) clipped = clipped.clamp(-m_clipRange, m_clipRange);
    const Value denoised = scaled / std::sqrt(variance) * values.of(clipped) +
                           kSigmaData * kSigmaData / variance * values.of(from);
    if (at + 1 == m_steps.size()) return values.made(denoised);
    const double next = m_training.alphasCumprod[std::size_t(m_steps[at + 1])];
    const at::Tensor noise = m_noise().to(from.options());
    return values.made(std::sqrt(next) * denoised + std::sqrt(1 - next) * values.of(noise));
}

}  // namespace reelgrid::schedulers
