#include "core/models/layers/head_norm.h"

#include <algorithm>
#include <iterator>

#include "core/execution/kernel_arguments.h"
#include "core/models/layers/row_layout.h"
#include "kernels/cpu/transformer/fused.h"
#include "kernels/cuda/library.h"

namespace reelgrid::models {
namespace {

/// The reference's own, whatever norm_eps says.
constexpr double kEps = 1e-6;

/// Turns the interleaved pairs of x [B, V, H, D], whose heads are dense, in place.
void rotate(at::Tensor x, const at::Tensor& rotary) {
    const at::Tensor wide = x.to(at::kFloat);
    at::view_as_complex(wide.unflatten(-1, {-1, 2})).mul_(rotary.unsqueeze(1));
    if (x.scalar_type() != at::kFloat) x.copy_(wide);
}

/// Whether the CUDA kernel takes it: packs of 16 bytes.
bool gpuTakes(const at::Tensor& x_BNC, std::int64_t headDim) {
    constexpr std::int64_t kHeadDims[]{16, 32, 64, 128};
    constexpr std::uintptr_t kPackBytes = 16;
    return kernels::cuda::library() != nullptr && execution::kernelTypeOf(x_BNC.scalar_type()) &&
           std::ranges::find(kHeadDims, headDim) != std::end(kHeadDims) && x_BNC.stride(1) % 8 == 0 &&
           reinterpret_cast<std::uintptr_t>(x_BNC.data_ptr()) % kPackBytes == 0;
}

bool isFused(const at::Tensor& x_BNC, std::int64_t headDim) {
    if (!hasOneRowStride(x_BNC)) return false;
    if (x_BNC.is_cuda()) return gpuTakes(x_BNC, headDim);
    return x_BNC.is_cpu() && headDim % 2 == 0 &&
           (x_BNC.scalar_type() == at::kFloat || x_BNC.scalar_type() == at::kBFloat16);
}

void inPlaceOnGpu(const at::Tensor& x_BNC, const HeadNorm& norm, const at::Tensor& rotary) {
    const std::int64_t tokens = x_BNC.size(1);
    const at::Tensor angles = rotary.defined() ? at::view_as_real(rotary) : at::Tensor();
    kernels::cuda::library()->headNormRotate(
        {.rows = x_BNC.size(0) * tokens,
         .channels = x_BNC.size(2),
         .rowStride = x_BNC.stride(1),
         .headDim = norm.weight_D.size(0),
         .eps = static_cast<float>(kEps),
         .type = *execution::kernelTypeOf(x_BNC.scalar_type()),
         .x = x_BNC.data_ptr(),
         .weight = norm.weight_D.const_data_ptr<float>(),
         .bias = norm.bias_D.const_data_ptr<float>(),
         .rotary = angles.defined() ? angles.const_data_ptr<float>() : nullptr,
         .tokens = tokens,
         .firstRotated = tokens - (rotary.defined() ? rotary.size(0) : 0)},
        execution::streamOf(x_BNC));
}

void inPlaceOnCpu(const at::Tensor& x_BNC, const HeadNorm& norm, const at::Tensor& rotary) {
    using namespace kernels::transformer;
    const std::int64_t tokens = x_BNC.size(1);
    const Rows rows{x_BNC.size(0) * tokens, x_BNC.size(2), static_cast<float>(kEps)};
    at::Tensor angles;
    PairRotation rotation;
    if (rotary.defined()) {
        angles = at::view_as_real(rotary).contiguous();
        rotation = {angles.const_data_ptr<float>(), tokens, tokens - rotary.size(0)};
    }
    const auto run = [&]<class T>(T* x) {
        headNormRotate(rows, x, x_BNC.stride(1), norm.weight_D.size(0), norm.weight_D.const_data_ptr<float>(),
                       norm.bias_D.const_data_ptr<float>(), rotation);
    };
    if (x_BNC.scalar_type() == at::kFloat)
        run(x_BNC.data_ptr<float>());
    else
        run(static_cast<BFloat16*>(x_BNC.data_ptr()));
}

}  // namespace

at::Tensor HeadNorm::normed(const at::Tensor& x_BNC, const at::Tensor& rotary) const {
    const std::int64_t headDim = weight_D.size(0);
    const at::Tensor x_BNHD = x_BNC.unflatten(-1, {-1, headDim});
    if (isFused(x_BNC, headDim)) {
        x_BNC.is_cuda() ? inPlaceOnGpu(x_BNC, *this, rotary) : inPlaceOnCpu(x_BNC, *this, rotary);
        return x_BNHD;
    }
    const auto dtype = x_BNC.scalar_type();
    const at::Tensor out_BNHD = at::layer_norm(x_BNHD, {headDim}, weight_D.to(dtype), bias_D.to(dtype), kEps);
    if (rotary.defined())
        rotate(out_BNHD.narrow(1, out_BNHD.size(1) - rotary.size(0), rotary.size(0)), rotary);
    return out_BNHD;
}

}  // namespace reelgrid::models
