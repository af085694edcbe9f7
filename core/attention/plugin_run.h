#pragma once

#include <ATen/ATen.h>

#include "kernels/attention/backend_list.h"

namespace reelgrid::attention {

/// Runs a plug-in's backend on a problem that has its output, with scratch memory from libtorch on the device
/// of `q`. Throws Failure when the plug-in fails.
void runPlugin(const kernels::BackendInfo& plugin, const kernels::AttentionProblem& problem,
               const at::Tensor& q);

}  // namespace reelgrid::attention
