#include "core/metrics/asked_metrics.h"

#include <algorithm>
#include <map>

namespace reelgrid::metrics {
namespace {

/// Names of VBench's that are asked for in vain, and why.
struct Elsewhere {
    const char* name;
    const char* why;
};
constexpr std::array kElsewhere{
    Elsewhere{"motion_smoothness", "needs VBench's interpolation network AMT, which this version lacks"},
    Elsewhere{"dynamic_degree", "needs the optical flow network RAFT, which this version lacks"},
    Elsewhere{"temporal_flickering", "is always measured: as flickering"},
};

}  // namespace

const AskedMetric& infoOf(Asked metric) {
    return *std::ranges::find(kAskedMetrics, metric, &AskedMetric::metric);
}

Result<void> requireSides(Asked metric, std::int64_t width, std::int64_t height) {
    const AskedMetric& info = infoOf(metric);
    if (std::min(width, height) >= info.leastSide) return {};
    return Error{ErrorCode::BadUsage, std::string(info.name) + ": the pictures are " + std::to_string(width) +
                                          "x" + std::to_string(height) + ", sides of at least " +
                                          std::to_string(info.leastSide) + " pixels are needed"};
}

std::string askedNames() {
    std::string names;
    for (const AskedMetric& metric : kAskedMetrics)
        names += (names.empty() ? "" : ", ") + std::string(metric.name);
    return names;
}

Result<std::vector<Asked>> askedFrom(const std::vector<std::string>& names) {
    std::vector<Asked> asked;
    std::map<std::string, std::string> byMeasure;
    for (const std::string& name : names) {
        const auto found = std::ranges::find_if(
            kAskedMetrics, [&](const AskedMetric& metric) { return name == metric.name; });
        if (found == kAskedMetrics.end()) {
            for (const Elsewhere& other : kElsewhere)
                if (name == other.name)
                    return Error{ErrorCode::BadUsage, "--metrics: " + name + " " + other.why};
            return Error{ErrorCode::BadUsage,
                         "--metrics: there is no metric '" + name + "'; there are " + askedNames()};
        }
        const auto [place, isNew] = byMeasure.emplace(found->measure, name);
        if (!isNew)
            return Error{ErrorCode::BadUsage,
                         "--metrics names " +
                             (place->second == name ? name + " twice" : place->second + " and " + name) +
                             ": one of them was needed"};
        asked.push_back(found->metric);
    }
    return asked;
}

}  // namespace reelgrid::metrics
