#pragma once

#include "core/families/family.h"

namespace reelgrid::families {

/// Wan 2.1 in diffusers' layout (WanPipeline with one transformer).
Family wanFamily();

}  // namespace reelgrid::families
