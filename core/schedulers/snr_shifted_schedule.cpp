#include "core/schedulers/snr_shifted_schedule.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/schedulers/flow_sigmas.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

/// β grows linearly in its square root.
std::vector<double> cumulativeAlphas(double betaStart, double betaEnd, std::int64_t count) {
    std::vector<double> products = linspace(std::sqrt(betaStart), std::sqrt(betaEnd), count);
    double product = 1;
    for (double& each : products) {
        product *= 1 - each * each;
        each = product;
    }
    return products;
}

/// Shifts and scales √ᾱ so that the last is 0 and the first stays.
void rescaleToZeroTerminalSnr(std::vector<double>& alphas) {
    const double first = std::sqrt(alphas.front()), last = std::sqrt(alphas.back());
    for (double& alpha : alphas) {
        const double root = (std::sqrt(alpha) - last) * (first / (first - last));
        alpha = root * root;
    }
}

TimestepSpacing spacingOf(const weights::ModelConfig& config) {
    const std::string name = config.textOr("timestep_spacing", "leading");
    if (name == "linspace") return TimestepSpacing::Linspace;
    if (name == "leading") return TimestepSpacing::Leading;
    if (name == "trailing") return TimestepSpacing::Trailing;
    config.unsupported("timestep_spacing", "linspace, leading or trailing");
}

double betaOf(const weights::ModelConfig& config, const char* key, double usual) {
    const double beta = config.numberOr(key, usual);
    if (!(beta > 0 && beta < 1)) config.invalid(key, "a number between 0 and 1");
    return beta;
}

}  // namespace

SnrShiftedSchedule SnrShiftedSchedule::from(const weights::ModelConfig& config) {
    if (config.textOr("prediction_type", "epsilon") != "v_prediction")
        config.unsupported("prediction_type", "v_prediction");
    if (config.textOr("beta_schedule", "scaled_linear") != "scaled_linear")
        config.unsupported("beta_schedule", "scaled_linear");
    if (config.has("trained_betas")) config.unsupported("trained_betas", "null");
    const double shift = config.numberOr("snr_shift_scale", 3.0);
    if (!(std::isfinite(shift) && shift > 0)) config.invalid("snr_shift_scale", "a number above 0");
    constexpr std::int64_t kMostTimesteps = 1 << 20;

    SnrShiftedSchedule schedule;
    schedule.m_spacing = spacingOf(config);
    const std::int64_t count = config.positiveOr("num_train_timesteps", 1000, kMostTimesteps);
    const double offset = config.numberOr("steps_offset", 0);
    if (!(offset >= 0 && offset < static_cast<double>(count)))
        config.invalid("steps_offset", "a number from 0 to below num_train_timesteps");
    schedule.m_stepsOffset = static_cast<std::int64_t>(offset);
    std::vector<double>& alphas = schedule.m_alphasCumprod;
    alphas =
        cumulativeAlphas(betaOf(config, "beta_start", 0.00085), betaOf(config, "beta_end", 0.0120), count);
    for (double& alpha : alphas) alpha /= shift + (1 - shift) * alpha;
    if (config.flagOr("rescale_betas_zero_snr", false)) rescaleToZeroTerminalSnr(alphas);
    if (!config.flagOr("set_alpha_to_one", true)) schedule.m_finalAlphaCumprod = alphas.front();
    return schedule;
}

std::vector<std::int64_t> SnrShiftedSchedule::timesteps(std::int64_t steps) const {
    const auto count = static_cast<std::int64_t>(m_alphasCumprod.size());
    checkStepCount(steps, count);
    std::vector<std::int64_t> timesteps;
    if (m_spacing == TimestepSpacing::Linspace) {
        // Rounded half to even, as numpy rounds.
        for (const double level : linspace(0, static_cast<double>(count - 1), steps))
            timesteps.push_back(static_cast<std::int64_t>(std::nearbyint(level)));
        std::ranges::reverse(timesteps);
        return timesteps;
    }
    const double ratio = static_cast<double>(count) / static_cast<double>(steps);
    for (std::int64_t i = 0; i < steps; ++i)
        if (m_spacing == TimestepSpacing::Trailing)
            timesteps.push_back(static_cast<std::int64_t>(std::nearbyint(static_cast<double>(count) -
                                                                         static_cast<double>(i) * ratio)) -
                                1);
        else
            timesteps.push_back(std::min((steps - 1 - i) * (count / steps) + m_stepsOffset, count - 1));
    return timesteps;
}

double SnrShiftedSchedule::alphaCumprod(std::int64_t timestep) const {
    return timestep < 0 ? m_finalAlphaCumprod : m_alphasCumprod.at(static_cast<std::size_t>(timestep));
}

std::int64_t SnrShiftedSchedule::previous(std::int64_t timestep, std::int64_t steps) const {
    return timestep - static_cast<std::int64_t>(m_alphasCumprod.size()) / steps;
}

std::vector<float> noiseShares(const SnrShiftedSchedule& schedule,
                               const std::vector<std::int64_t>& timesteps) {
    const auto shareAt = [&](std::int64_t timestep) {
        return static_cast<float>(std::sqrt(1 - schedule.alphaCumprod(timestep)));
    };
    std::vector<float> shares;
    for (const std::int64_t timestep : timesteps) shares.push_back(shareAt(timestep));
    shares.push_back(
        shareAt(schedule.previous(timesteps.back(), static_cast<std::int64_t>(timesteps.size()))));
    return shares;
}

execution::FusedValues::Value pictureOfVelocity(double alphaCumprod,
                                                const execution::FusedValues::Value& sample,
                                                const execution::FusedValues::Value& velocity) {
    return sample * std::sqrt(alphaCumprod) - velocity * std::sqrt(1 - alphaCumprod);
}

}  // namespace reelgrid::schedulers
