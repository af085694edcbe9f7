#pragma once

#include "core/families/model_info.h"
#include "core/pipeline/model_faults.h"

namespace reelgrid::models::wan {

/// Whether every parameter that the model's configurations need is in its files, of the shape that they need.
/// Reads headers alone.
pipeline::ModelFaults findFaults(const families::ModelInfo& model);

}  // namespace reelgrid::models::wan
