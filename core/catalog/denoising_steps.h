#pragma once

#include <string>

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"

namespace reelgrid::catalog {

/// `_class_name` of the checkpoint's scheduler_config.json; empty where it can't be read.
std::string storedSampler(const families::ModelInfo& model);

/// The steps of a render, which policies, captures and profiles count: FreeInit makes all of them several
/// times, and PNDM makes its second one twice (diffusers 0.40, scheduling_pndm.py, skip_prk_steps).
int denoisingSteps(const RenderSettings& settings, const families::ModelInfo& model);

}  // namespace reelgrid::catalog
