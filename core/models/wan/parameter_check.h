#pragma once

#include <string>
#include <vector>

#include "core/denoising/model_faults.h"
#include "core/families/model_info.h"

namespace reelgrid::models::wan {

/// Whether every parameter that the model's configurations need is in its files, of the shape that they need.
/// Reads headers alone.
denoising::ModelFaults findFaults(const families::ModelInfo& model);

/// A line for each transformer's file with tensors that no layer takes, such as those of a model that was
/// made from this one: "FILE: 4 tensors belong to no layer of this model and had no effect
/// (fps_embedding.weight, …)". Reads headers alone. Throws Failure where a file can't be read.
std::vector<std::string> untakenTensors(const families::ModelInfo& model);

}  // namespace reelgrid::models::wan
