#include "core/comparison/steady_times.h"

#include <algorithm>

#include "core/comparison/same_work.h"
#include "core/result/warm_up.h"

namespace reelgrid::comparison {
namespace {

/// Parts of a step (timing.json): the first has all kinds of attention that --attention-type covers.
constexpr const char *kCoveredPart = "self_attention", *kOtherPart = "cross_attention";

std::optional<double> coveredSeconds(const result::ClipResult& result) {
    std::optional<double> sum;
    for (const protocol::ModuleKindInfo& kind : protocol::kModuleKinds) {
        if (!kind.followsAttentionType) continue;
        if (const auto seconds = attentionSeconds(result, kind.kind)) sum = sum.value_or(0) + *seconds;
    }
    return sum;
}

}  // namespace

SteadyTimes steadyTimesOf(const result::ClipResult& result) {
    SteadyTimes times;
    times.coveredAttention = coveredSeconds(result);
    times.outsideAttention = secondsOutsideAttention(result);
    if (result.timings.empty()) return times;
    times.denoise = result::steadyDenoiseSeconds(result.timings.back());
    double covered = 0, outside = 0;
    for (const result::Timing& timing : result.timings) {
        const double all = result::warmUpSeconds(timing);
        const double own = result::warmUpSecondsIn(timing, kCoveredPart);
        times.warmUp = std::max(times.warmUp, all);
        covered += own;
        outside += all - own - result::warmUpSecondsIn(timing, kOtherPart);
    }
    const auto leaveOut = [&](std::optional<double>& seconds, double ofAll) {
        if (seconds) *seconds -= std::max(0.0, ofAll) / double(result.timings.size());
        if (seconds && *seconds <= 0) seconds.reset();
    };
    leaveOut(times.coveredAttention, covered);
    leaveOut(times.outsideAttention, outside);
    return times;
}

}  // namespace reelgrid::comparison
