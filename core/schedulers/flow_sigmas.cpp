#include "core/schedulers/flow_sigmas.h"

#include <cmath>
#include <string>

#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

double shiftOf(const weights::ModelConfig& config, const char* key, const std::optional<double>& requested) {
    const double shift = requested ? *requested : config.numberOr(key, 1.0);
    if (std::isfinite(shift) && shift > 0) return shift;
    if (!requested) config.invalid(key, "a number above 0");
    throw Failure(ErrorCode::BadUsage,
                  "flow_shift is " + std::to_string(shift) + ", a number above 0 is needed");
}

SigmaSpacing sigmaSpacingOf(const weights::ModelConfig& config) {
    SigmaSpacing asked = SigmaSpacing::Shifted;
    for (const SigmaSpacing spacing : {SigmaSpacing::Karras, SigmaSpacing::Exponential}) {
        if (!config.flagOr(keyOf(spacing), false)) continue;
        if (asked != SigmaSpacing::Shifted)
            config.unsupported(keyOf(spacing), std::string("false beside ") + keyOf(asked));
        asked = spacing;
    }
    return asked;
}

void respace(std::vector<double>& sigmas, SigmaSpacing spacing) {
    const double first = sigmas.front();
    const double last = sigmas.back();
    const auto count = static_cast<std::int64_t>(sigmas.size());
    if (spacing == SigmaSpacing::Exponential) {
        sigmas = linspace(std::log(first), std::log(last), count);
        for (double& sigma : sigmas) sigma = std::exp(sigma);
        return;
    }
    constexpr double kRho = 7.0;
    const double from = std::pow(first, 1 / kRho);
    const double to = std::pow(last, 1 / kRho);
    sigmas = linspace(0, 1, count);
    for (double& sigma : sigmas) sigma = std::pow(from + sigma * (to - from), kRho);
}

}  // namespace

const char* keyOf(SigmaSpacing spacing) {
    return spacing == SigmaSpacing::Karras ? "use_karras_sigmas" : "use_exponential_sigmas";
}

FlowSigmas FlowSigmas::from(const weights::ModelConfig& config, const char* shiftKey,
                            const std::optional<double>& requestedShift) {
    for (const char* key : {"use_dynamic_shifting", "use_beta_sigmas"})
        if (config.flagOr(key, false)) config.unsupported(key, "false");
    FlowSigmas sigmas;
    sigmas.trainTimesteps = config.positiveOr("num_train_timesteps", 1000);
    sigmas.shift = shiftOf(config, shiftKey, requestedShift);
    sigmas.shiftTerminal = config.numberOr("shift_terminal", 0.0);
    if (!(sigmas.shiftTerminal >= 0 && sigmas.shiftTerminal < 1))
        config.unsupported("shift_terminal", "a number from 0 to below 1");
    sigmas.spacing = sigmaSpacingOf(config);
    return sigmas;
}

void FlowSigmas::apply(std::vector<double>& sigmas) const {
    for (double& sigma : sigmas) sigma = shift * sigma / (1 + (shift - 1) * sigma);
    if (shiftTerminal != 0) {
        const double scale = (1 - sigmas.back()) / (1 - shiftTerminal);
        for (double& sigma : sigmas) sigma = 1 - (1 - sigma) / scale;
    }
    if (spacing != SigmaSpacing::Shifted) respace(sigmas, spacing);
}

std::vector<double> linspace(double first, double last, std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count), first);
    if (count < 2) return values;
    const double step = (last - first) / static_cast<double>(count - 1);
    for (std::int64_t i = 1; i < count; ++i)
        values[static_cast<std::size_t>(i)] = static_cast<double>(i) * step + first;
    values.back() = last;
    return values;
}

void checkStepCount(std::int64_t steps, std::int64_t trainTimesteps) {
    if (steps < 1 || steps > trainTimesteps)
        throw Failure(ErrorCode::BadUsage, "num_inference_steps is " + std::to_string(steps) +
                                               ", a whole number from 1 to " +
                                               std::to_string(trainTimesteps) + " is needed");
}

}  // namespace reelgrid::schedulers
