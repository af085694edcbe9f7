#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/families/model_info.h"

namespace reelgrid::pipeline {

/// What is wrong with a model's files, a line each, and how many tensors were looked at.
struct ModelFaults {
    std::vector<std::string> faults;
    std::size_t tensors = 0;
};

/// Names and shapes of a model's parameters against what its configurations need, without reading them; of a
/// family that knows no more, the headers of its files alone.
ModelFaults findFaults(const families::ModelInfo& model);

}  // namespace reelgrid::pipeline
