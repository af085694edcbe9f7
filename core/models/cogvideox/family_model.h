#pragma once

#include "core/denoising/family_model.h"

namespace reelgrid::models::cogvideox {

denoising::FamilyModel familyModel();

}  // namespace reelgrid::models::cogvideox
