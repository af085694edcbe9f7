#include "core/schedulers/vp_sigmas.h"

#include <algorithm>
#include <cmath>

#include "core/schedulers/flow_sigmas.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

/// Between which training timesteps a level lies, by its logarithm.
double timestepAt(double sigma, const std::vector<float>& logSigmas) {
    constexpr double kLeastSigma = 1e-10;
    const double logSigma = std::log(std::max(sigma, kLeastSigma));
    const auto above = std::upper_bound(logSigmas.begin(), logSigmas.end(), logSigma,
                                        [](double value, float each) { return value < double(each); });
    const auto last = static_cast<std::ptrdiff_t>(logSigmas.size()) - 2;
    const auto low = std::clamp<std::ptrdiff_t>(above - logSigmas.begin() - 1, 0, last);
    const double from = logSigmas[std::size_t(low)], to = logSigmas[std::size_t(low + 1)];
    return static_cast<double>(low) + std::clamp((from - logSigma) / (from - to), 0.0, 1.0);
}

}  // namespace

double sigmaAt(double timestep, const std::vector<double>& sigmas) {
    const double most = static_cast<double>(sigmas.size() - 1);
    const double within = std::clamp(timestep, 0.0, most);
    const auto low = static_cast<std::size_t>(std::min(std::floor(within), most - 1));
    return sigmas[low] + (sigmas[low + 1] - sigmas[low]) * (within - static_cast<double>(low));
}

VpSigmas VpSigmas::from(const weights::ModelConfig& config) {
    VpSigmas sigmas;
    if (config.flagOr("use_beta_sigmas", false)) config.unsupported("use_beta_sigmas", "false");
    if (config.flagOr("use_lu_lambdas", false)) config.unsupported("use_lu_lambdas", "false");
    if (config.flagOr("use_flow_sigmas", false)) config.unsupported("use_flow_sigmas", "false");
    const bool karras = config.flagOr("use_karras_sigmas", false);
    const bool exponential = config.flagOr("use_exponential_sigmas", false);
    if (karras && exponential) config.invalid("use_exponential_sigmas", "false beside use_karras_sigmas");
    if (karras) sigmas.spacing = Spacing::Karras;
    if (exponential) sigmas.spacing = Spacing::Exponential;
    const std::string final = config.textOr("final_sigmas_type", "zero");
    if (final == "sigma_min")
        sigmas.final = Final::Smallest;
    else if (final != "zero")
        config.unsupported("final_sigmas_type", "zero or sigma_min");
    const auto end = [&](const char* key) {
        if (!config.has(key)) return 0.0;
        const double value = config.number(key);
        if (!(value > 0 && std::isfinite(value))) config.invalid(key, "a number above 0");
        return value;
    };
    sigmas.least = end("sigma_min");
    sigmas.most = end("sigma_max");
    return sigmas;
}

std::vector<float> VpSigmas::at(std::vector<double>& timesteps, const VpTraining& training,
                                const std::vector<double>& ends) const {
    const std::vector<double> trained = training.sigmas();
    std::vector<double> levels;
    if (spacing == Spacing::Timesteps) {
        for (const double timestep : timesteps) levels.push_back(sigmaAt(timestep, trained));
    } else {
        constexpr double kRho = 7;
        const double first = most > 0 ? most : ends.front(), last = least > 0 ? least : ends.back();
        const auto count = static_cast<std::int64_t>(timesteps.size());
        std::vector<float> logSigmas;
        for (const double sigma : trained) logSigmas.push_back(std::log(static_cast<float>(sigma)));
        if (spacing == Spacing::Karras) {
            const double from = std::pow(first, 1 / kRho), to = std::pow(last, 1 / kRho);
            for (const double share : linspace(0, 1, count))
                levels.push_back(std::pow(from + share * (to - from), kRho));
        } else {
            for (const double level : linspace(std::log(first), std::log(last), count))
                levels.push_back(std::exp(level));
        }
        for (std::size_t i = 0; i < levels.size(); ++i) timesteps[i] = timestepAt(levels[i], logSigmas);
    }
    std::vector<float> sigmas(levels.begin(), levels.end());
    sigmas.push_back(final == Final::Zero ? 0.0F : static_cast<float>(trained.front()));
    return sigmas;
}

}  // namespace reelgrid::schedulers
