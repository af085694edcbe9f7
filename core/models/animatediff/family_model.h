#pragma once

#include "core/denoising/family_model.h"

namespace reelgrid::models::animatediff {

denoising::FamilyModel familyModel();

}  // namespace reelgrid::models::animatediff
