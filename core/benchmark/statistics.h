#pragma once

#include <optional>
#include <vector>

namespace reelgrid::benchmark {

/// The value below which `share` (0 to 1) of the values lie, between two of them by linear interpolation (as
/// numpy.percentile does it). NaN when there are none.
double percentile(std::vector<double> values, double share);

double median(std::vector<double> values);

/// Standard deviation of the sample (n - 1) over its mean: how much turns differ. Nothing below two values.
std::optional<double> variation(const std::vector<double>& values);

}  // namespace reelgrid::benchmark
