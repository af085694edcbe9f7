#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/attention/problem.h"

namespace reelgrid::vae {

/// What the VAE's kernels call the tensor's format. Throws Failure(Unsupported) for other than fp32, bf16,
/// fp16.
kernels::DataType kernelTypeOf(const at::Tensor& x);

}  // namespace reelgrid::vae
