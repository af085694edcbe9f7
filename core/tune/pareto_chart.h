#pragma once

#include <string>

#include "core/tune/tuning.h"

namespace reelgrid::tune {

/// Quality over time as SVG: the predicted curve, single backends and policies as measured, each policy
/// joined to what was predicted of it, the budget and the noise floor as lines.
std::string paretoChart(const Tuning& tuning);

/// Which backend serves which layer in which step, as SVG in the backends' colours.
std::string assignmentMap(const Tuning& tuning, const Assignment& assignment);

}  // namespace reelgrid::tune
