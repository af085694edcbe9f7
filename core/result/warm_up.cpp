#include "core/result/warm_up.h"

#include <algorithm>

namespace reelgrid::result {
namespace {

constexpr std::size_t kFewestSteps = 4;
constexpr double kFirstBeyond = 5, kStillBeyond = 2;

}  // namespace

double warmUpSeconds(const Timing& timing) {
    const std::vector<double>& steps = timing.steps;
    if (steps.size() < kFewestSteps) return 0;
    const auto lastHalf = steps.begin() + std::ptrdiff_t(steps.size() / 2);
    const double usual = *std::max_element(lastHalf, steps.end());
    if (!(usual > 0) || !(steps.front() > kFirstBeyond * usual)) return 0;
    double beyond = 0;
    for (auto step = steps.begin(); step != lastHalf && *step > kStillBeyond * usual; ++step)
        beyond += *step - usual;
    return beyond;
}

std::optional<double> steadyDenoiseSeconds(const Timing& timing) {
    const auto denoise = timing.stage("denoise");
    if (!denoise) return std::nullopt;
    return std::max(0.0, *denoise - warmUpSeconds(timing));
}

std::optional<double> denoiseRatio(const Timing& reference, const Timing& own) {
    const double first = steadyDenoiseSeconds(reference).value_or(0);
    const double seconds = steadyDenoiseSeconds(own).value_or(0);
    if (!(first > 0) || !(seconds > 0)) return std::nullopt;
    return first / seconds;
}

}  // namespace reelgrid::result
