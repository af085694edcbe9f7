#pragma once

#include <ATen/ATen.h>

#include <optional>

#include "kernels/attention/problem.h"

namespace reelgrid::execution {

/// A dtype as kernels name it; nothing for one that no kernel takes.
std::optional<kernels::DataType> kernelTypeOf(at::ScalarType type);

/// Whether our CUDA kernels run where x is: an NVIDIA GPU, and the library of them is loaded. AMD's GPUs have
/// CUDA's name in libtorch, but no kernel of ours.
bool hasCudaKernels(at::Device device);
inline bool hasCudaKernels(const at::Tensor& x) {
    return hasCudaKernels(x.device());
}

/// The native handle of the current stream of x's device, as kernels take it; null on the CPU.
void* streamOf(const at::Tensor& x);

}  // namespace reelgrid::execution
