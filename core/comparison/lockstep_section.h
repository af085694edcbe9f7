#pragma once

#include <string>

#include "core/comparison/report.h"

namespace reelgrid::comparison {

/// What each backend computes from the reference's own inputs, layer by layer and step by step: a table and
/// heat maps as HTML. Empty when nothing was measured in lockstep.
std::string lockstepSection(const Report& report);

}  // namespace reelgrid::comparison
