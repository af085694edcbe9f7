#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/profile/summary.h"

namespace reelgrid::profile {

/// What rows can be sorted by, as torch.profiler's tables name it: self_cpu_time_total, …
std::vector<std::string> rowOrders();

/// Largest first. A device's figures have its names, too (self_cuda_time_total, self_xpu_time_total).
/// BadUsage naming the key where there is no such figure.
Result<void> sortRows(Summary& summary, const std::string& key);

}  // namespace reelgrid::profile
