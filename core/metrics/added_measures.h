#pragma once

#include <string>

#include "core/metrics/clip_metrics.h"

namespace reelgrid::metrics {

/// Fills in what a measurement of the same clip says of it: what was measured on request (asked_metrics.h)
/// takes the place of what there is, the rest is added where it is absent. Of drifts from two different
/// references nothing is mixed: `into` keeps its own.
void addMeasures(const ClipMetrics& from, ClipMetrics& into);

/// Takes out a drift that isn't from the reference clip whose file has this SHA-256 (empty: there is none),
/// or doesn't say from which it is. True where there was one.
bool dropOtherDrift(const std::string& referenceSha256, ClipMetrics& known);

}  // namespace reelgrid::metrics
