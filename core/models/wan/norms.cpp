#include "core/models/wan/norms.h"

namespace reelgrid::models::wan {
namespace {

at::Tensor rmsNorm(const at::Tensor& x_BNC, const at::Tensor& weight_C, double eps) {
    const at::Tensor x = x_BNC.to(at::kFloat);
    return x * at::rsqrt(x.square().mean(-1, true) + eps) * weight_C.to(at::kFloat);
}

}  // namespace

at::Tensor modulatedNorm(const at::Tensor& x_BNC, const at::Tensor& shift_C, const at::Tensor& scale_C,
                         double eps, at::ScalarType dtype) {
    const at::Tensor normed = at::layer_norm(x_BNC, {x_BNC.size(-1)}, {}, {}, eps);
    return (normed * (1 + scale_C) + shift_C).to(dtype);
}

at::Tensor affineNorm(const at::Tensor& x_BNC, const at::Tensor& weight_C, const at::Tensor& bias_C,
                      double eps, at::ScalarType dtype) {
    return at::layer_norm(x_BNC, {x_BNC.size(-1)}, weight_C, bias_C, eps).to(dtype);
}

void addGated(at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C) {
    x_BNC.addcmul_(y_BNC.to(at::kFloat), gate_C);
}

void rmsNormInPlace(at::Tensor& x_BNC, const at::Tensor& weight_C, double eps) {
    x_BNC.copy_(rmsNorm(x_BNC, weight_C, eps));
}

void rmsNormRotateInPlace(at::Tensor& x_BNC, const at::Tensor& weight_C, const RopeTable& rope, double eps) {
    const auto pairs = rope.cos_NP.size(1);
    const at::Tensor normed = rmsNorm(x_BNC, weight_C, eps);
    const at::Tensor x_BNHP2 = normed.view({x_BNC.size(0), x_BNC.size(1), -1, pairs, 2});
    const at::Tensor even = x_BNHP2.select(-1, 0), odd = x_BNHP2.select(-1, 1);
    const at::Tensor cos = rope.cos_NP.unsqueeze(1), sin = rope.sin_NP.unsqueeze(1);
    x_BNC.copy_(at::stack({even * cos - odd * sin, even * sin + odd * cos}, -1).view(normed.sizes()));
}

}  // namespace reelgrid::models::wan
