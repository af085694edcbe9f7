#include "core/schedulers/vp_ddim.h"

#include <cmath>

#include "core/weights/model_config.h"

namespace reelgrid::schedulers {

VpDdim::VpDdim(const weights::ModelConfig& config)
    : m_training(VpTraining::from(config, VpSpacing::Leading)), m_clipRange(clipRangeOf(config, true)) {
    if (!config.flagOr("set_alpha_to_one", true)) m_finalAlphaCumprod = m_training.alphasCumprod.front();
    // Nothing of the picture is left to divide by.
    if (m_training.terminalSnr == TerminalSnr::Zero && m_training.prediction == VpPrediction::Noise)
        config.unsupported("rescale_betas_zero_snr", "false for a prediction_type of epsilon");
}

double VpDdim::alphaCumprod(std::int64_t timestep) const {
    return timestep < 0 ? m_finalAlphaCumprod
                        : m_training.alphasCumprod.at(static_cast<std::size_t>(timestep));
}

std::int64_t VpDdim::previous(std::int64_t timestep) const {
    return timestep - m_training.count() / static_cast<std::int64_t>(m_steps.size());
}

void VpDdim::setTimesteps(std::int64_t steps) {
    m_steps = m_training.timesteps(steps);
    m_timesteps.assign(m_steps.begin(), m_steps.end());
    m_sigmas.clear();
    for (const std::int64_t timestep : m_steps)
        m_sigmas.push_back(static_cast<float>(std::sqrt(1 - alphaCumprod(timestep))));
    m_sigmas.push_back(static_cast<float>(std::sqrt(1 - alphaCumprod(previous(m_steps.back())))));
}

at::Tensor VpDdim::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const std::int64_t timestep = m_steps.at(static_cast<std::size_t>(i));
    const double alpha = alphaCumprod(timestep), next = alphaCumprod(previous(timestep));
    execution::FusedValues values;
    const auto x = values.of(sample.to(at::kFloat)), output = values.of(modelOutput.to(at::kFloat));
    const Value picture = pictureOf(m_training.prediction, alpha, x, output);
    const Value noise = noiseOf(m_training.prediction, alpha, x, output);
    if (m_clipRange == 0) return values.made(std::sqrt(next) * picture + std::sqrt(1 - next) * noise);
    const std::vector<at::Tensor> meant = values.made({picture, noise});
    execution::FusedValues clipped;
    return clipped.made(std::sqrt(next) * clipped.of(meant[0].clamp(-m_clipRange, m_clipRange)) +
                        std::sqrt(1 - next) * clipped.of(meant[1]));
}

}  // namespace reelgrid::schedulers
