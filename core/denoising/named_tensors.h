#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>

namespace reelgrid::denoising {

using NamedTensors = std::map<std::string, at::Tensor>;

}  // namespace reelgrid::denoising
