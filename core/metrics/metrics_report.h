#pragma once

#include <string>

#include "core/metrics/clip_metrics.h"

namespace reelgrid::metrics {

/// One line a frame: frame, then each measure of kMeasures (those on request where they were measured); those
/// of two frames are with the next one. Cells of what was not measured are empty.
std::string metricsCsv(const ClipMetrics& metrics);

/// One line for a person when the clip's scores mean nothing (it is black or frozen), else empty.
std::string gateWarning(const ClipGates& gates);

}  // namespace reelgrid::metrics
