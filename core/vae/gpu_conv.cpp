#include "core/vae/gpu_conv.h"

#include "core/base/result.h"
#include "core/execution/fp32_precision.h"
#include "core/execution/kernel_arguments.h"
#include "core/vae/kernel_type.h"
#include "kernels/cuda/library.h"

namespace reelgrid::vae {
namespace {

constexpr std::int64_t kGpuChannelStep = 8;
constexpr std::int64_t kMostNormChannels = 1024;

}  // namespace

GpuConv::GpuConv(const at::Tensor& weight, const at::Tensor& bias_O)
    : m_weight(weight.contiguous(weight.dim() == 5 ? at::MemoryFormat::ChannelsLast3d
                                                   : at::MemoryFormat::ChannelsLast)),
      m_bias_O(bias_O) {}

at::Tensor GpuConv::product(const at::Tensor& x_THWC, const Steps& steps) const {
    constexpr bool kChooseByTiming = false, kDeterministic = true;
    const bool inTime = m_weight.dim() == 5;
    // As one clip, or as a batch of frames.
    const at::Tensor x = inTime ? x_THWC.unsqueeze(0).permute({0, 4, 1, 2, 3}) : x_THWC.permute({0, 3, 1, 2});
    std::vector<std::int64_t> pads{steps.padding, steps.padding}, strides{steps.stride, steps.stride};
    if (steps.rowPadding >= 0) pads = {steps.rowPadding, 0};
    if (inTime) {
        pads.insert(pads.begin(), 0);
        strides.insert(strides.begin(), steps.timeStride);
    }
    const std::vector<std::int64_t> ones(pads.size(), 1);
    const at::Tensor y = at::cudnn_convolution(x, m_weight, pads, strides, ones, 1, kChooseByTiming,
                                               kDeterministic, execution::allowsTf32());
    return (inTime ? y.permute({0, 2, 3, 4, 1}).squeeze(0) : y.permute({0, 2, 3, 1})).contiguous();
}

at::Tensor GpuConv::forward(const at::Tensor& x_THWC, const Steps& steps,
                            const at::Tensor& residual_THWO) const {
    at::Tensor y_THWO = product(x_THWC, steps);
    const std::int64_t channels = y_THWO.size(3);
    if (channels % kGpuChannelStep != 0) {
        y_THWO.add_(m_bias_O);
        return residual_THWO.defined() ? y_THWO.add_(residual_THWO) : y_THWO;
    }
    const at::Tensor residual = residual_THWO.defined() ? residual_THWO.contiguous() : residual_THWO;
    kernels::cuda::library()->addBias({.pixels = y_THWO.numel() / channels,
                                       .channels = channels,
                                       .type = kernelTypeOf(y_THWO),
                                       .y = y_THWO.data_ptr(),
                                       .bias = m_bias_O.const_data_ptr(),
                                       .residual = residual.defined() ? residual.const_data_ptr() : nullptr},
                                      execution::streamOf(y_THWO));
    return y_THWO;
}

bool normOnGpu(const at::Tensor& x_THWC, const at::Tensor& scale_C, kernels::cuda::Activation activation,
               at::Tensor out_THWC) {
    const std::int64_t channels = x_THWC.size(-1);
    if (!execution::hasCudaKernels(x_THWC) || channels % kGpuChannelStep != 0 || channels > kMostNormChannels)
        return false;
    const at::Tensor x = x_THWC.contiguous();
    kernels::cuda::library()->channelNorm({.pixels = x.numel() / channels,
                                           .channels = channels,
                                           .type = kernelTypeOf(x),
                                           .x = x.const_data_ptr(),
                                           .scale = scale_C.const_data_ptr<float>(),
                                           .activation = activation,
                                           .out = out_THWC.data_ptr()},
                                          execution::streamOf(x));
    return true;
}

}  // namespace reelgrid::vae
