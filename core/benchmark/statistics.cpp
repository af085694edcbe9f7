#include "core/benchmark/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace reelgrid::benchmark {

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::sort(values.begin(), values.end());
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

double median(std::vector<double> values) {
    return percentile(std::move(values), 0.5);
}

}  // namespace reelgrid::benchmark
