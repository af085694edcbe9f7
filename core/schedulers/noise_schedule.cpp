#include "core/schedulers/noise_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reelgrid::schedulers {
namespace {

/// torch.linspace in float32, which counts from the nearer end.
std::vector<float> linspaceFloat(float first, float last, std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count), first);
    const float step = count > 1 ? (last - first) / static_cast<float>(count - 1) : 0;
    for (std::int64_t i = 1; i < count; ++i)
        values[static_cast<std::size_t>(i)] = i < count / 2 ? first + step * static_cast<float>(i)
                                                            : last - step * static_cast<float>(count - i - 1);
    return values;
}

std::vector<float> squaredCosineBetas(std::int64_t count) {
    constexpr double kOffset = 0.008;
    constexpr double kLargest = 0.999;
    const auto alphaBar = [&](std::int64_t i) {
        const double t = static_cast<double>(i) / static_cast<double>(count);
        const double cosine = std::cos((t + kOffset) / (1 + kOffset) * std::numbers::pi / 2);
        return cosine * cosine;
    };
    std::vector<float> betas;
    for (std::int64_t i = 0; i < count; ++i)
        betas.push_back(static_cast<float>(std::min(1 - alphaBar(i + 1) / alphaBar(i), kLargest)));
    return betas;
}

std::vector<float> betasOf(const NoiseScheduleOptions& options) {
    if (options.spacing == BetaSpacing::SquaredCosine) return squaredCosineBetas(options.trainTimesteps);
    if (options.spacing == BetaSpacing::Linear)
        return linspaceFloat(static_cast<float>(options.betaStart), static_cast<float>(options.betaEnd),
                             options.trainTimesteps);
    std::vector<float> betas =
        linspaceFloat(static_cast<float>(std::sqrt(options.betaStart)),
                      static_cast<float>(std::sqrt(options.betaEnd)), options.trainTimesteps);
    for (float& beta : betas) beta *= beta;
    return betas;
}

std::vector<float> cumulativeAlphas(const std::vector<float>& betas) {
    std::vector<float> products;
    double product = 1;
    for (const float beta : betas) {
        product *= static_cast<double>(1 - beta);
        products.push_back(static_cast<float>(product));
    }
    return products;
}

/// Shifts and scales √ᾱ so that the last is 0 and the first stays.
std::vector<float> withZeroTerminalSnr(const std::vector<float>& betas) {
    std::vector<float> roots = cumulativeAlphas(betas);
    for (float& root : roots) root = std::sqrt(root);
    const float first = roots.front();
    const float last = roots.back();
    for (float& root : roots) root = (root - last) * (first / (first - last));
    std::vector<float> rescaled;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const float before = i == 0 ? 1 : roots[i - 1] * roots[i - 1];
        rescaled.push_back(1 - roots[i] * roots[i] / before);
    }
    return rescaled;
}

}  // namespace

NoiseSchedule::NoiseSchedule(const NoiseScheduleOptions& options) : betas(betasOf(options)) {
    if (options.terminalSnr == TerminalSnr::Zero) betas = withZeroTerminalSnr(betas);
    alphasCumprod = cumulativeAlphas(betas);
}

}  // namespace reelgrid::schedulers
