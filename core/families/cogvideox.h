#pragma once

#include "core/families/family.h"

namespace reelgrid::families {

/// CogVideoXPipeline: 2b, 5b and 1.5-5b.
Family cogVideoXFamily();
/// CogVideoXImageToVideoPipeline: 5b-I2V and 1.5-5b-I2V.
Family cogVideoXImageFamily();

}  // namespace reelgrid::families
