#pragma once

#include "core/families/family.h"

namespace reelgrid::families::svd {

/// StableVideoDiffusionPipeline (SVD, SVD-XT, XT-1.1).
Family family();

}  // namespace reelgrid::families::svd
