#pragma once

#include "core/families/model_info.h"

namespace reelgrid::families::wan {

/// What was published for a model of so many layers; empty for others. `family` is ModelInfo's.
StepCacheCurves stepCacheCurvesOf(std::string_view family, int layers);

}  // namespace reelgrid::families::wan
