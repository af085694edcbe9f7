#include "core/suite/gate_check.h"

#include <algorithm>

#include "core/base/one_line.h"
#include "core/metrics/asked_metrics.h"
#include "core/result/clip_result.h"

namespace reelgrid::suite {
namespace {

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

}  // namespace reelgrid::suite
