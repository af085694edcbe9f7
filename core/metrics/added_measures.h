#pragma once

#include "core/metrics/clip_metrics.h"

namespace reelgrid::metrics {

/// Fills in what a measurement of the same clip, against the same reference, says of it: what was measured on
/// request (asked_metrics.h) takes the place of what there is, the rest is added where it is absent.
void addMeasures(const ClipMetrics& from, ClipMetrics& into);

}  // namespace reelgrid::metrics
