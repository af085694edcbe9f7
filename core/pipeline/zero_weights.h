#pragma once

#include <string>
#include <vector>

#include "core/families/model_info.h"

namespace reelgrid::pipeline {

/// A line for each .safetensors file of the model, and of its LoRAs (as a request names them), with matrices
/// that have holes of zeros (core/safetensors/zero_tensors.h): "FILE: 14 tensors hold zeros alone or in part
/// (NAME, …), as in a download that wasn't finished". Matrices that a LoRA's training begins with as zeros
/// don't count. Files that can't be read are left to those who load them.
std::vector<std::string> zeroWeights(const families::ModelInfo& model,
                                     const std::vector<std::string>& loras = {});

}  // namespace reelgrid::pipeline
