#include "core/models/layers/cuda_norms.h"

#include "core/execution/kernel_arguments.h"
#include "core/models/layers/float_pointer.h"
#include "kernels/cuda/library.h"

namespace reelgrid::models::cuda {
namespace {

using execution::kernelTypeOf;
using execution::streamOf;

constexpr std::int64_t kMostChannels = 8192;

void* dataOf(const at::Tensor& x) {
    return x.defined() ? x.data_ptr() : nullptr;
}

at::Tensor dense(const at::Tensor& x) {
    return x.defined() ? x.contiguous() : x;
}

}  // namespace

bool takes(const at::Tensor& x_BNC, at::ScalarType dtype) {
    return execution::hasCudaKernels(x_BNC) && kernelTypeOf(dtype) && x_BNC.size(-1) % 8 == 0 &&
           x_BNC.size(-1) <= kMostChannels;
}

bool takesRows(const at::Tensor& x_BNC, const RopeTable* rope) {
    return x_BNC.stride(1) % 8 == 0 && reinterpret_cast<std::uintptr_t>(x_BNC.data_ptr()) % 16 == 0 &&
           (rope == nullptr || 2 * rope->cos_NP.size(1) % 8 == 0);
}

void addThenNorm(const at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C,
                 const NormAffine& affine, const at::Tensor& out_BNC) {
    const at::Tensor y = dense(y_BNC), gate = dense(gate_C);
    const at::Tensor weight = dense(affine.weight_C), bias = dense(affine.bias_C);
    kernels::cuda::library()->addThenNorm({.rows = x_BNC.numel() / x_BNC.size(-1),
                                           .channels = x_BNC.size(-1),
                                           .eps = static_cast<float>(affine.eps),
                                           .type = *kernelTypeOf((y.defined() ? y : out_BNC).scalar_type()),
                                           .x = x_BNC.data_ptr<float>(),
                                           .y = dataOf(y),
                                           .gate = floatsOrNull(gate),
                                           .weight = floatsOrNull(weight),
                                           .bias = floatsOrNull(bias),
                                           .out = dataOf(out_BNC)},
                                          streamOf(x_BNC));
}

void rmsNormRotate(const at::Tensor& x_BNC, const at::Tensor& weight_C, double eps, const RopeTable* rope) {
    kernels::cuda::RmsNormRotate call{.rows = x_BNC.numel() / x_BNC.size(-1),
                                      .channels = x_BNC.size(-1),
                                      .rowStride = x_BNC.stride(1),
                                      .eps = static_cast<float>(eps),
                                      .type = *kernelTypeOf(x_BNC.scalar_type()),
                                      .x = x_BNC.data_ptr(),
                                      .weight = floatsOrNull(weight_C)};
    if (rope) {
        call.cos = floatsOrNull(rope->cos_NP);
        call.sin = floatsOrNull(rope->sin_NP);
        call.tokens = rope->cos_NP.size(0);
        call.headDim = 2 * rope->cos_NP.size(1);
    }
    kernels::cuda::library()->rmsNormRotate(call, streamOf(x_BNC));
}

}  // namespace reelgrid::models::cuda
