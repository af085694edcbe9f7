#pragma once

#include "core/denoising/model_faults.h"
#include "core/families/model_info.h"

namespace reelgrid::models::wan {

/// Whether every parameter that the model's configurations need is in its files, of the shape that they need.
/// Reads headers alone.
denoising::ModelFaults findFaults(const families::ModelInfo& model);

}  // namespace reelgrid::models::wan
