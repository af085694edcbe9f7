#pragma once

#include "core/denoising/component_checks.h"
#include "core/families/model_info.h"

namespace reelgrid::models::sd35 {

/// FamilyModel::checks
denoising::ComponentChecks componentChecks(const families::ModelInfo& model);

}  // namespace reelgrid::models::sd35
