#include "core/metrics/series.h"

#include <cmath>
#include <limits>

namespace reelgrid::metrics {

Series seriesOf(std::vector<double> perFrame) {
    double sum = 0;
    int count = 0;
    for (const double value : perFrame) {
        if (!std::isfinite(value)) continue;
        sum += value;
        ++count;
    }
    const double mean = count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
    return {mean, std::move(perFrame)};
}

}  // namespace reelgrid::metrics
