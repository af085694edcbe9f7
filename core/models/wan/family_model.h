#pragma once

#include "core/denoising/family_model.h"

namespace reelgrid::models::wan {

denoising::FamilyModel familyModel();

}  // namespace reelgrid::models::wan
