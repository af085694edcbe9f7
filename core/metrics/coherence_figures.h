#pragma once

#include <optional>

#include "core/metrics/clip_metrics.h"

namespace reelgrid::metrics {

/// Share of the change between a clip's frames that flow explains; nothing where the clip is too small for a
/// flow, or nothing changes.
std::optional<double> explainedByFlow(const ClipMetrics& metrics);

}  // namespace reelgrid::metrics
