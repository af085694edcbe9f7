#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reelgrid::denoising {

/// What is wrong with a model's files, a line each, and how many tensors were looked at.
struct ModelFaults {
    std::vector<std::string> faults;
    std::size_t tensors = 0;
};

}  // namespace reelgrid::denoising
