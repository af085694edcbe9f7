#include "core/session/same_work.h"

#include <algorithm>

namespace reelgrid::session {

namespace {
// On a quiet machine equal work differs by up to a fifth (what runs before it leaves other data in the
// caches); beyond this, ratios of whole times mislead.
constexpr double kUneven = 1.25;
}  // namespace

std::optional<double> attentionSeconds(const ClipMeasurements& measured, const std::string& module) {
    std::optional<double> sum;
    for (const AttentionUse& use : measured.attention) {
        if (!module.empty() && use.module != module) continue;
        if (!use.seconds) return std::nullopt;
        sum = sum.value_or(0) + *use.seconds;
    }
    // The manifest counts the calls of all repetitions.
    if (sum && !measured.runs.empty()) *sum /= double(measured.runs.size());
    return sum;
}

std::optional<double> secondsOutsideAttention(const ClipMeasurements& measured) {
    const auto attention = attentionSeconds(measured);
    if (!attention || measured.runs.empty()) return std::nullopt;
    double denoise = 0;
    for (const RunTiming& run : measured.runs) {
        const auto seconds = run.stage("denoise");
        if (!seconds) return std::nullopt;
        denoise += *seconds;
    }
    const double outside = denoise / double(measured.runs.size()) - *attention;
    if (outside <= 0) return std::nullopt;
    return outside;
}

bool SameWork::isUneven() const {
    return slowest > kUneven * fastest;
}

std::optional<SameWork> sameWorkOf(const std::vector<double>& secondsOutsideAttention) {
    if (secondsOutsideAttention.size() < 2) return std::nullopt;
    const auto [fastest, slowest] =
        std::minmax_element(secondsOutsideAttention.begin(), secondsOutsideAttention.end());
    return SameWork{*fastest, *slowest};
}

}  // namespace reelgrid::session
