#include "core/result/warm_up.h"

#include <algorithm>

namespace reelgrid::result {
namespace {

constexpr double kFirstBeyond = 5, kStillBeyond = 2;

/// The steps that did as much as the first: where passes can be skipped, those with as many whole ones.
std::vector<std::size_t> likeTheFirst(const Timing& timing) {
    std::vector<std::size_t> alike;
    for (std::size_t step = 0; step < timing.steps.size(); ++step)
        if (timing.passes.empty() || (step < timing.passes.size() && timing.passes[step] == timing.passes[0]))
            alike.push_back(step);
    return alike;
}

/// The longest of the last half of these steps.
double usualOf(const std::vector<double>& seconds, const std::vector<std::size_t>& steps) {
    double longest = 0;
    for (std::size_t i = steps.size() / 2; i < steps.size(); ++i)
        longest = std::max(longest, seconds[steps[i]]);
    return longest;
}

double secondsOf(const StepParts& step, std::string_view part) {
    const auto found = std::ranges::find(step, part, &StepParts::value_type::first);
    return found == step.end() ? 0 : found->second;
}

}  // namespace

std::optional<std::size_t> coldSteps(const Timing& timing) {
    const std::vector<double>& steps = timing.steps;
    const std::vector<std::size_t> alike = likeTheFirst(timing);
    if (alike.size() < kFewestStepsToTell) return std::nullopt;
    const double usual = usualOf(steps, alike);
    std::size_t cold = 0;
    if (!(usual > 0) || !(steps.front() > kFirstBeyond * usual)) return cold;
    // One that did less than the first says nothing of those behind it.
    while (cold < alike.size() / 2 && alike[cold] == cold && steps[cold] > kStillBeyond * usual) ++cold;
    return cold;
}

double warmUpSeconds(const Timing& timing) {
    const std::size_t cold = coldSteps(timing).value_or(0);
    if (cold == 0) return 0;
    const double usual = usualOf(timing.steps, likeTheFirst(timing));
    double beyond = 0;
    for (std::size_t step = 0; step < cold; ++step) beyond += timing.steps[step] - usual;
    return beyond;
}

double warmUpSecondsIn(const Timing& timing, std::string_view part) {
    const std::size_t cold = coldSteps(timing).value_or(0);
    if (cold == 0 || timing.stepParts.size() != timing.steps.size()) return 0;
    std::vector<double> seconds;
    for (const StepParts& step : timing.stepParts) seconds.push_back(secondsOf(step, part));
    const double usual = usualOf(seconds, likeTheFirst(timing));
    double beyond = 0;
    for (std::size_t step = 0; step < cold; ++step) beyond += std::max(0.0, seconds[step] - usual);
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
