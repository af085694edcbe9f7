#pragma once

// Shape legend: B batch, N tokens, H heads, D head dim, C = H·D channels.
// The residual stream x_BNC and all modulation vectors are fp32; `dtype` is what the model computes in.

#include <ATen/ATen.h>

#include "core/models/wan/rope.h"

namespace reelgrid::models::wan {

/// layerNorm(x) (1 + scale) + shift, without learned weights, rounded to dtype. shift_C and scale_C: fp32.
at::Tensor modulatedNorm(const at::Tensor& x_BNC, const at::Tensor& shift_C, const at::Tensor& scale_C,
                         double eps, at::ScalarType dtype);

/// layerNorm(x) weight + bias, rounded to dtype. weight_C and bias_C: fp32.
at::Tensor affineNorm(const at::Tensor& x_BNC, const at::Tensor& weight_C, const at::Tensor& bias_C,
                      double eps, at::ScalarType dtype);

/// x += y gate, in place on fp32 x.
void addGated(at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C);

/// RMS norm over all channels (across heads), in fp32, rounded back. Any row stride, channels contiguous.
void rmsNormInPlace(at::Tensor& x_BNC, const at::Tensor& weight_C, double eps);

/// The same, then the rotation of each head's interleaved pairs by its token's angles; in place, rounded
/// once.
void rmsNormRotateInPlace(at::Tensor& x_BNC, const at::Tensor& weight_C, const RopeTable& rope, double eps);

}  // namespace reelgrid::models::wan
