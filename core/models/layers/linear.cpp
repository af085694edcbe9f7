#include "core/models/layers/linear.h"

#include "core/execution/kernel_arguments.h"
#include "core/models/layers/norms.h"
#include "kernels/cuda/library.h"

namespace reelgrid::models {
namespace {

constexpr double kLargest = 448;  // of e4m3
/// What a GPU's products of e4m3 need of both sides of a matrix.
constexpr std::int64_t kMultiple = 16;

struct Fp8Rows {
    at::Tensor values;     ///< e4m3
    at::Tensor scales_N1;  ///< fp32
};

/// Each row by itself, as kernels/cuda/library.h's RowsToFp8 does it.
Fp8Rows toFp8(const at::Tensor& x_NC) {
    const at::Tensor x = x_NC.to(at::kFloat);
    const at::Tensor most = x.abs().amax(-1, true);
    const at::Tensor scales =
        at::where(most > 0, most * (1.0F / static_cast<float>(kLargest)), at::ones_like(most));
    return {(x * scales.reciprocal()).clamp_(-kLargest, kLargest).to(at::kFloat8_e4m3fn), scales};
}

Fp8Rows toFp8OnGpu(const at::Tensor& x_NC, kernels::cuda::Activation activation) {
    Fp8Rows rows{at::empty(x_NC.sizes(), x_NC.options().dtype(at::kFloat8_e4m3fn)),
                 at::empty({x_NC.size(0), 1}, x_NC.options().dtype(at::kFloat))};
    kernels::cuda::library()->rowsToFp8({.rows = x_NC.size(0),
                                         .channels = x_NC.size(1),
                                         .type = *execution::kernelTypeOf(x_NC.scalar_type()),
                                         .x = x_NC.const_data_ptr(),
                                         .activation = activation,
                                         .out = rows.values.data_ptr(),
                                         .scales = rows.scales_N1.data_ptr<float>()},
                                        execution::streamOf(x_NC));
    return rows;
}

}  // namespace

bool multipliesFp8(at::Device device) {
    return device.is_cuda() && kernels::cuda::library() != nullptr &&
           kernels::cuda::library()->multipliesFp8();
}

void Linear::roundToFp8() {
    if (!weight.defined() || scale_O.defined()) return;
    if (weight.is_meta()) {
        scale_O = at::empty({weight.size(0)}, weight.options().dtype(at::kFloat));
        return;
    }
    const bool asFp8 =
        multipliesFp8(weight.device()) && weight.size(0) % kMultiple == 0 && weight.size(1) % kMultiple == 0;
    const Fp8Rows rows = toFp8(weight);
    scale_O = rows.scales_N1.flatten();
    weight = asFp8 ? rows.values : rows.values.to(weight.scalar_type());
}

at::Tensor Linear::fp8Product(const at::Tensor& x, Before before) const {
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    at::Tensor x_NC = x.reshape({-1, x.size(-1)}).contiguous();
    if (weight.scalar_type() == at::kFloat8_e4m3fn) {
        const Fp8Rows rows = toFp8OnGpu(x_NC, before == Before::GeluTanh ? kernels::cuda::Activation::GeluTanh
                                                                         : kernels::cuda::Activation::None);
        // Sums in fp32 throughout are half as fast, and no closer than the rounding of the factors.
        constexpr bool kFastSums = true;
        const bool isBf16 = x.scalar_type() == at::kBFloat16;
        const at::Tensor y_NO =
            at::_scaled_mm(rows.values, weight.t(), rows.scales_N1, scale_O.unsqueeze(0),
                           isBf16 ? std::optional(bias) : std::nullopt, {}, at::kBFloat16, kFastSums);
        return (isBf16 ? y_NO : y_NO.to(x.scalar_type()) + bias).view(shape);
    }
    if (before == Before::GeluTanh) {
        x_NC = x_NC.clone();
        geluTanhInPlace(x_NC);
    }
    const Fp8Rows rows = toFp8(x_NC);
    const at::Tensor y_NO = execution::linear(rows.values.to(x.scalar_type()), weight).to(at::kFloat);
    return (y_NO * rows.scales_N1 * scale_O + bias).to(x.scalar_type()).view(shape);
}

}  // namespace reelgrid::models
