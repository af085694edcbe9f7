#pragma once

// norms.h on an NVIDIA GPU: each one pass over memory (kernels/cuda/library.h). Shapes are norms.h's.

#include "core/models/layers/norms.h"

namespace reelgrid::models::cuda {

/// Whether the kernels take rows of x: on a GPU, channels a multiple of 8, fp32, bf16 or fp16.
bool takes(const at::Tensor& x_BNC, at::ScalarType dtype);

/// x += y gate and the norm of it into `out`; y, gate or out may be undefined.
void addThenNorm(const at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C,
                 const NormAffine& affine, const at::Tensor& out_BNC);

/// Whether rmsNormRotate() takes rows of that distance, and heads of that size.
bool takesRows(const at::Tensor& x_BNC, const RopeTable* rope);
/// Rows that lie at one distance from each other.
void rmsNormRotate(const at::Tensor& x_BNC, const at::Tensor& weight_C, double eps, const RopeTable* rope);

}  // namespace reelgrid::models::cuda
