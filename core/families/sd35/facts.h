#pragma once

#include "core/families/family.h"

namespace reelgrid::families::sd35 {

/// Stable Diffusion 3.5, medium and large, as clips of frames, with a temporal module or without.
Family family();

}  // namespace reelgrid::families::sd35
