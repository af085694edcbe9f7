#include "core/schedulers/vp_training.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/schedulers/flow_sigmas.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

VpSpacing vpSpacingOf(const weights::ModelConfig& config, VpSpacing usual) {
    if (!config.has("timestep_spacing")) return usual;
    const std::string name = config.text("timestep_spacing");
    if (name == "linspace") return VpSpacing::Linspace;
    if (name == "leading") return VpSpacing::Leading;
    if (name == "trailing") return VpSpacing::Trailing;
    config.unsupported("timestep_spacing", "linspace, leading or trailing");
}

VpPrediction predictionOf(const weights::ModelConfig& config) {
    const std::string name = config.textOr("prediction_type", "epsilon");
    if (name == "epsilon") return VpPrediction::Noise;
    if (name == "sample") return VpPrediction::Picture;
    if (name == "v_prediction") return VpPrediction::Velocity;
    config.unsupported("prediction_type", "epsilon, sample or v_prediction");
}

BetaSpacing betaSpacingOf(const weights::ModelConfig& config, BetaSpacing usual) {
    if (!config.has("beta_schedule")) return usual;
    const std::string name = config.text("beta_schedule");
    if (name == "linear") return BetaSpacing::Linear;
    if (name == "scaled_linear") return BetaSpacing::ScaledLinear;
    if (name == "squaredcos_cap_v2") return BetaSpacing::SquaredCosine;
    config.unsupported("beta_schedule", "linear, scaled_linear or squaredcos_cap_v2");
}

double vpBetaOf(const weights::ModelConfig& config, const char* key, double usual) {
    const double beta = config.numberOr(key, usual);
    if (!(beta > 0 && beta < 1)) config.invalid(key, "a number between 0 and 1");
    return beta;
}

}  // namespace

VpTraining VpTraining::from(const weights::ModelConfig& config, VpSpacing usual,
                            const NoiseScheduleOptions& usualNoise) {
    constexpr std::int64_t kMostTimesteps = 1 << 20;
    if (config.has("trained_betas")) config.unsupported("trained_betas", "null");
    VpTraining training;
    training.terminalSnr =
        config.flagOr("rescale_betas_zero_snr", false) ? TerminalSnr::Zero : TerminalSnr::AsTrained;
    training.alphasCumprod =
        NoiseSchedule({.trainTimesteps = config.positiveOr("num_train_timesteps", usualNoise.trainTimesteps,
                                                           kMostTimesteps),
                       .betaStart = vpBetaOf(config, "beta_start", usualNoise.betaStart),
                       .betaEnd = vpBetaOf(config, "beta_end", usualNoise.betaEnd),
                       .spacing = betaSpacingOf(config, usualNoise.spacing),
                       .terminalSnr = training.terminalSnr})
            .alphasCumprod;
    training.prediction = predictionOf(config);
    training.spacing = vpSpacingOf(config, usual);
    const double offset = config.numberOr("steps_offset", 0);
    if (!(offset >= 0 && offset < static_cast<double>(training.count())))
        config.invalid("steps_offset", "a number from 0 to below num_train_timesteps");
    training.stepsOffset = static_cast<std::int64_t>(offset);
    return training;
}

std::vector<std::int64_t> VpTraining::timesteps(std::int64_t steps) const {
    checkStepCount(steps, count());
    std::vector<std::int64_t> timesteps;
    if (spacing == VpSpacing::Linspace) {
        // Rounded half to even, as numpy rounds.
        for (const double level : linspace(0, static_cast<double>(count() - 1), steps))
            timesteps.push_back(static_cast<std::int64_t>(std::nearbyint(level)));
        std::ranges::reverse(timesteps);
        return timesteps;
    }
    const double ratio = static_cast<double>(count()) / static_cast<double>(steps);
    for (std::int64_t i = 0; i < steps; ++i)
        timesteps.push_back(spacing == VpSpacing::Trailing
                                ? static_cast<std::int64_t>(std::nearbyint(static_cast<double>(count()) -
                                                                           static_cast<double>(i) * ratio)) -
                                      1
                                : std::min((steps - 1 - i) * (count() / steps) + stepsOffset, count() - 1));
    return timesteps;
}

std::vector<double> VpTraining::sigmas() const {
    constexpr double kLeastAlpha = 0x1p-24;  // the reference's, so that no level is infinite
    std::vector<double> sigmas;
    for (const float alpha : alphasCumprod)
        sigmas.push_back(std::sqrt((1 - static_cast<double>(alpha)) / static_cast<double>(alpha)));
    if (terminalSnr == TerminalSnr::Zero) sigmas.back() = std::sqrt((1 - kLeastAlpha) / kLeastAlpha);
    // The reference's are float32.
    for (double& sigma : sigmas) sigma = static_cast<double>(static_cast<float>(sigma));
    return sigmas;
}

Value pictureOf(VpPrediction prediction, double alphaCumprod, const Value& sample, const Value& output) {
    const double signal = std::sqrt(alphaCumprod), noise = std::sqrt(1 - alphaCumprod);
    if (prediction == VpPrediction::Picture) return output;
    if (prediction == VpPrediction::Noise) return (sample - noise * output) / signal;
    return signal * sample - noise * output;
}

Value noiseOf(VpPrediction prediction, double alphaCumprod, const Value& sample, const Value& output) {
    const double signal = std::sqrt(alphaCumprod), noise = std::sqrt(1 - alphaCumprod);
    if (prediction == VpPrediction::Noise) return output;
    if (prediction == VpPrediction::Picture) return (sample - signal * output) / noise;
    return signal * output + noise * sample;
}

at::Tensor mixedByShare(const at::Tensor& picture, const at::Tensor& noise, double share) {
    return std::sqrt(1 - share * share) * picture + share * noise;
}

double clipRangeOf(const weights::ModelConfig& config, bool usual) {
    if (config.flagOr("thresholding", false)) config.unsupported("thresholding", "false");
    if (!config.flagOr("clip_sample", usual)) return 0;
    const double range = config.numberOr("clip_sample_range", 1.0);
    if (!(range > 0)) config.invalid("clip_sample_range", "a number above 0");
    return range;
}

}  // namespace reelgrid::schedulers
