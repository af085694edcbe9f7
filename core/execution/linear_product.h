#pragma once

#include <ATen/ATen.h>

namespace reelgrid::execution {

/// x Wᵀ + b, as x is shaped, sums in fp32, rounded once: at::linear. On a CPU without AVX-512 products of
/// bf16, which libtorch takes one value at a time there, run as fp32's.
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight_OI, const at::Tensor& bias_O = {});

/// A weight for linear() alone, in the order in which its products read it, so that no call has to bring it
/// into that: opaque but for sizes and dtype. The weight itself where there is no such order: on a GPU, in
/// other dtypes than bf16, on a CPU without AVX-512.
at::Tensor packedForLinear(const at::Tensor& weight_OI);

}  // namespace reelgrid::execution
