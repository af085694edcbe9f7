#pragma once

#include <string>
#include <vector>

#include "core/families/model_info.h"

namespace reelgrid::pipeline {

/// A line for each .safetensors file of the model with matrices that hold zeros alone: "FILE: 14 tensors hold
/// zeros alone (NAME, …), as in a download that wasn't finished". Files that can't be read are left to those
/// who load them.
std::vector<std::string> zeroWeights(const families::ModelInfo& model);

}  // namespace reelgrid::pipeline
