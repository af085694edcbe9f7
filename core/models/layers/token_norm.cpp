#include "core/models/layers/token_norm.h"

#include "core/execution/kernel_arguments.h"
#include "kernels/cuda/library.h"

namespace reelgrid::models {
namespace {

constexpr double kTokenNormEps = 1e-5;
/// What the GPU's kernels take (kernels/cuda/library.h).
constexpr std::int64_t kTokenChannelStep = 8, kMostTokenChannels = 2048;

bool isOfKernels(const at::Tensor& x) {
    return execution::hasCudaKernels(x) && execution::kernelTypeOf(x.scalar_type()) &&
           x.size(-1) % kTokenChannelStep == 0;
}

const void* dataOfTerm(const at::Tensor& x) {
    return x.defined() ? x.const_data_ptr() : nullptr;
}

at::Tensor denseTerm(const at::Tensor& x) {
    return x.defined() ? x.contiguous() : x;
}

}  // namespace

at::Tensor PendingSum::blendedInto(const at::Tensor& still_FPC, double share) const {
    if (!isOfKernels(x_FPC)) return at::lerp(still_FPC, value(), share);
    const at::Tensor still = still_FPC.contiguous(), x = x_FPC.contiguous(), y = y_FPC.contiguous();
    at::Tensor out_FPC = at::empty(still.sizes(), still.options());
    kernels::cuda::library()->blend({.values = still.numel(),
                                     .share = static_cast<float>(share),
                                     .type = *execution::kernelTypeOf(still.scalar_type()),
                                     .x = still.const_data_ptr(),
                                     .y = x.const_data_ptr(),
                                     .z = y.const_data_ptr(),
                                     .out = out_FPC.mutable_data_ptr()},
                                    execution::streamOf(still));
    return out_FPC;
}

bool TokenNorm::usesGpuKernel(const at::Tensor& x_FPC) const {
    return isOfKernels(x_FPC) && x_FPC.size(-1) <= kMostTokenChannels;
}

TokenNorm::OfSum TokenNorm::onGpu(const Terms& terms) const {
    const at::Tensor x = terms.x_FPC.contiguous(), y = denseTerm(terms.y), shift = denseTerm(terms.shift_F1C),
                     everywhere = denseTerm(terms.everywhere_11C);
    const std::int64_t channels = x.size(-1), rows = x.numel() / channels;
    const auto rowsOf = [&](const at::Tensor& term) {
        return term.defined() ? rows / (term.numel() / channels) : 1;
    };
    const bool sums = y.defined() || everywhere.defined();
    OfSum made{sums ? at::empty(x.sizes(), x.options()) : x, at::empty(x.sizes(), x.options())};
    kernels::cuda::library()->sumNorm({.rows = rows,
                                       .channels = channels,
                                       .eps = static_cast<float>(kTokenNormEps),
                                       .type = *execution::kernelTypeOf(x.scalar_type()),
                                       .x = x.const_data_ptr(),
                                       .y = dataOfTerm(y),
                                       .rowsOfY = rowsOf(y),
                                       .everywhere = dataOfTerm(everywhere),
                                       .sum = sums ? made.sum_FPC.mutable_data_ptr() : nullptr,
                                       .weight = weight_C.const_data_ptr(),
                                       .bias = bias_C.const_data_ptr(),
                                       .shift = dataOfTerm(shift),
                                       .rowsOfShift = rowsOf(shift),
                                       .out = made.normed_FPC.mutable_data_ptr()},
                                      execution::streamOf(x));
    return made;
}

at::Tensor TokenNorm::operator()(const at::Tensor& x_FPC, const at::Tensor& shift_F1C) const {
    if (usesGpuKernel(x_FPC)) return onGpu({x_FPC, {}, {}, shift_F1C}).normed_FPC;
    const at::Tensor normed_FPC = at::layer_norm(x_FPC, {x_FPC.size(-1)}, weight_C, bias_C, kTokenNormEps);
    return shift_F1C.defined() ? normed_FPC + shift_F1C : normed_FPC;
}

TokenNorm::OfSum TokenNorm::ofSum(const PendingSum& sum, const at::Tensor& shift_F1C) const {
    if (usesGpuKernel(sum.x_FPC)) return onGpu({sum.x_FPC, sum.y_FPC, {}, shift_F1C});
    const at::Tensor sum_FPC = sum.value();
    return {sum_FPC, (*this)(sum_FPC, shift_F1C)};
}

TokenNorm::OfSum TokenNorm::ofSumAndRow(const PendingSum& sum, const at::Tensor& everywhere_11C) const {
    if (usesGpuKernel(sum.x_FPC)) return onGpu({sum.x_FPC, sum.y_FPC, everywhere_11C, {}});
    const at::Tensor sum_FPC = sum.value() + everywhere_11C;
    return {sum_FPC, (*this)(sum_FPC)};
}

at::Tensor gatedGelu(const at::Tensor& x) {
    const std::int64_t channels = x.size(-1) / 2;
    if (!isOfKernels(x) || channels % kTokenChannelStep != 0) {
        const auto halves = x.chunk(2, -1);
        return halves[0] * at::gelu(halves[1]);
    }
    const at::Tensor dense = x.contiguous();
    auto shape = x.sizes().vec();
    shape.back() = channels;
    at::Tensor out = at::empty(shape, x.options());
    kernels::cuda::library()->gatedGelu({.rows = dense.numel() / (2 * channels),
                                         .channels = channels,
                                         .type = *execution::kernelTypeOf(x.scalar_type()),
                                         .x = dense.const_data_ptr(),
                                         .out = out.mutable_data_ptr()},
                                        execution::streamOf(x));
    return out;
}

}  // namespace reelgrid::models
