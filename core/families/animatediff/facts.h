#pragma once

#include "core/families/family.h"

namespace reelgrid::families::animatediff {

/// AnimateDiff: Stable Diffusion 1.5 with motion modules.
Family family();

}  // namespace reelgrid::families::animatediff
