#pragma once

#include <ATen/ATen.h>

#include <optional>

#include "kernels/attention/problem.h"

namespace reelgrid::execution {

/// A dtype as kernels name it; nothing for one that no kernel takes.
std::optional<kernels::DataType> kernelTypeOf(at::ScalarType type);

/// The native handle of the current stream of x's device, as kernels take it; null on the CPU.
void* streamOf(const at::Tensor& x);

}  // namespace reelgrid::execution
