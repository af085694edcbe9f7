#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>

#include "core/parallel/communicator.h"

namespace reelgrid::parallel {

/// The first rank's tensors on every rank, in memory of `device`; what others pass is of no account.
std::map<std::string, at::Tensor> sharedFromFirst(Communicator& ranks,
                                                  const std::map<std::string, at::Tensor>& tensors,
                                                  at::Device device = at::kCPU);

}  // namespace reelgrid::parallel
