#include "core/suite/gate_check.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/one_line.h"
#include "core/metrics/asked_metrics.h"
#include "core/metrics/ssim.h"
#include "core/metrics/warping_error.h"
#include "core/result/clip_result.h"

namespace reelgrid::suite {
namespace {

/// What a clip needs at least for a measure to have a number.
struct Needed {
    std::string_view measure;
    int side, frames;
};

constexpr std::array kNeeded{
    Needed{"ssim", metrics::kSsimWindow, 1},
    Needed{"ms_ssim", metrics::kLeastMsSsimSide, 1},
    Needed{"frame_correlation", 1, 2},
    Needed{"flickering", 1, 2},
    Needed{"warping_error", metrics::kLeastWarpedSide, 2},
    Needed{"subject_consistency", 1, 2},
    Needed{"background_consistency", 1, 2},
};

/// The names of --metrics that the measure comes of; none: it is always measured.
std::vector<std::string> metricsOf(const std::string& measure) {
    std::vector<std::string> names;
    for (const metrics::AskedMetric& metric : metrics::kAskedMetrics)
        if (measure == metric.measure) names.emplace_back(metric.name);
    return names;
}

std::string oneOfThem(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
    return text;
}

}  // namespace

Result<void> requireMeasurable(const Gate& gate, const SuitePlan& plan, const std::vector<SuiteRow>& rows,
                               const std::vector<std::string>& metrics) {
    const SuiteMeasure* measure = suiteMeasure(gate.key);
    if (measure == nullptr) return {};
    const auto refused = [&](const std::string& why) {
        return Error{ErrorCode::BadUsage,
                     "--gate " + inOneLine(gate.text) + ": " + measure->title + " " + why};
    };
    const auto isOwnReference = [&](const SuiteRow& row) { return plan.jobs[row.job].reference == row.job; };
    if (measure->tells == Tells::Drift && std::ranges::all_of(rows, isOwnReference))
        return refused(
            "is measured against the clip of the first backend, and no clip has another; two or more "
            "\"types\" were needed");
    const std::vector<std::string> names = metricsOf(gate.key);
    const auto isAsked = [&](const std::string& name) { return std::ranges::count(metrics, name) > 0; };
    const auto isMeasured = [&](const SuiteRow& row) {
        return measuredOf(result::readClipResult(row.clip)).contains(gate.key);
    };
    if (names.empty() || std::ranges::any_of(names, isAsked) || std::ranges::any_of(rows, isMeasured))
        return {};
    return refused("is measured only where it is asked for; --metrics " + oneOfThem(names) + " was needed");
}

Result<void> requireLargeEnough(const Gate& gate, std::span<const ClipExtent> clips) {
    const auto needed = std::ranges::find(kNeeded, std::string_view(gate.key), &Needed::measure);
    if (needed == kNeeded.end()) return {};
    const auto fits = [&](const ClipExtent& clip) {
        return std::min(clip.width, clip.height) >= needed->side && clip.frames >= needed->frames;
    };
    if (clips.empty() || std::ranges::any_of(clips, fits)) return {};
    const ClipExtent& first = clips.front();
    std::string least = needed->side > 1 ? "sides of " + std::to_string(needed->side) + " pixels" : "";
    if (needed->frames > 1)
        least += (least.empty() ? "" : " and ") + std::to_string(needed->frames) + " frames";
    return Error{ErrorCode::BadUsage,
                 "--gate " + inOneLine(gate.text) + ": " + suiteMeasure(gate.key)->title + " needs " + least +
                     " or more, which no clip has (the first: " + std::to_string(first.width) + "x" +
                     std::to_string(first.height) + ", " + std::to_string(first.frames) +
                     (first.frames == 1 ? " frame)" : " frames)")};
}

}  // namespace reelgrid::suite
