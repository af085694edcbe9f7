#pragma once

#include <string>
#include <vector>

#include "core/denoising/model_faults.h"
#include "core/families/model_info.h"

namespace reelgrid::models::sd35 {

/// Whether every parameter that the model's configurations need is in its files, of the shape that they need.
/// Reads headers alone.
denoising::ModelFaults findFaults(const families::ModelInfo& model);

/// A line for the transformer's file where it has tensors that no layer takes. Reads headers alone. Throws
/// Failure where a file can't be read.
std::vector<std::string> untakenTensors(const families::ModelInfo& model);

}  // namespace reelgrid::models::sd35
