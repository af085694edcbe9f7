#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <string>

#include "core/attention/dispatcher.h"
#include "kernels/attention/backend_list.h"

namespace reelgrid::attention {

/// Why libtorch's operator can't run the call; nothing when it can.
std::optional<std::string> whyNot(kernels::LibtorchOperator which, const Inputs& inputs);

/// libtorch's own attention: o_BHND, laid out [B, N, H, D] as the other backends lay out theirs. Only after
/// whyNot() had nothing to say.
at::Tensor attendWithLibtorch(kernels::LibtorchOperator which, const Inputs& inputs);

}  // namespace reelgrid::attention
