#pragma once

#include "core/families/family.h"

namespace reelgrid::families::cogvideox {

/// CogVideoXPipeline (2b, 5b, 1.5-5b) and CogVideoXImageToVideoPipeline (5b-I2V, 1.5-5b-I2V).
Family family();

}  // namespace reelgrid::families::cogvideox
