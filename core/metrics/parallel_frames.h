#pragma once

#include <functional>
#include <vector>

namespace reelgrid::metrics {

/// measure(i) for i in [0, count) on the machine's cores, in order of i. `measure` must be safe to call from
/// several threads at once.
std::vector<double> perFrame(int count, const std::function<double(int)>& measure);

}  // namespace reelgrid::metrics
