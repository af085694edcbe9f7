#include "core/vae/image_conv.h"

namespace reelgrid::vae {
namespace {

/// Every pixel twice along both axes.
at::Tensor doubled(const at::Tensor& x_NHWC) {
    const auto rows = x_NHWC.size(1), columns = x_NHWC.size(2);
    return x_NHWC.unsqueeze(3)
        .unsqueeze(2)
        .expand({-1, rows, 2, columns, 2, -1})
        .reshape({x_NHWC.size(0), 2 * rows, 2 * columns, x_NHWC.size(3)});
}

at::Tensor libtorchConv(const at::Tensor& x_NHWC, const at::Tensor& weight_OCHW, const at::Tensor& bias_O,
                        std::int64_t stride, std::int64_t padding) {
    return at::conv2d(x_NHWC.permute({0, 3, 1, 2}), weight_OCHW, bias_O, stride, padding)
        .permute({0, 2, 3, 1})
        .contiguous();
}

}  // namespace

ImageConv::ImageConv(const LayerSource& source, std::int64_t in, std::int64_t out)
    : m_bias_O(source.weights("bias", {out})) {
    const at::Tensor weight_OCHW = source.weights("weight", {out, in, 3, 3});
    const bool fastest = source.engine == ConvEngine::Fastest;
    if (fastest && GpuConv::takes(weight_OCHW))
        m_gpu.emplace(weight_OCHW, m_bias_O);
    else if (fastest && WinogradConv::takes(weight_OCHW))
        m_winograd.emplace(weight_OCHW.unsqueeze(2), m_bias_O);
    else
        m_weight_OCHW = weight_OCHW.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor ImageConv::forward(const at::Tensor& x_NHWC, const at::Tensor& residual_NHWO) const {
    if (m_gpu) return m_gpu->forward(x_NHWC, {.padding = 1}, residual_NHWO);
    if (m_winograd)
        return m_winograd->forward({.history_NHWC = {},
                                    .x_THWC = x_NHWC,
                                    .input = kernels::VaeConvInput::Same,
                                    .normScale_C = {},
                                    .residual_THWO = residual_NHWO});
    const at::Tensor y_NHWO = libtorchConv(x_NHWC, m_weight_OCHW, m_bias_O, 1, 1);
    return residual_NHWO.defined() ? y_NHWO.add_(residual_NHWO) : y_NHWO;
}

at::Tensor ImageConv::product(const at::Tensor& x_NHWC) const {
    return m_gpu->product(x_NHWC, {.padding = 1});
}

at::Tensor ImageConv::forwardDoubled(const at::Tensor& x_NHWC) const {
    if (!m_winograd) return forward(doubled(x_NHWC));
    return m_winograd->forward({.history_NHWC = {},
                                .x_THWC = x_NHWC,
                                .input = kernels::VaeConvInput::Doubled,
                                .normScale_C = {},
                                .residual_THWO = {}});
}

HalvingConv::HalvingConv(const LayerSource& source, std::int64_t channels, Zeros zeros)
    : m_zeros(zeros), m_bias_O(source.weights("bias", {channels})) {
    const at::Tensor weight_OCHW = source.weights("weight", {channels, channels, 3, 3});
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(weight_OCHW))
        m_gpu.emplace(weight_OCHW, m_bias_O);
    else
        m_weight_OCHW = weight_OCHW.contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor HalvingConv::forward(const at::Tensor& x_NHWC) const {
    const bool around = m_zeros == Zeros::Around;
    const at::Tensor in_NHWC = around ? x_NHWC : at::constant_pad_nd(x_NHWC, {0, 0, 0, 1, 0, 1});
    const std::int64_t padding = around ? 1 : 0;
    if (m_gpu) return m_gpu->forward(in_NHWC, {.padding = padding, .stride = 2});
    return libtorchConv(in_NHWC, m_weight_OCHW, m_bias_O, 2, padding);
}

}  // namespace reelgrid::vae
