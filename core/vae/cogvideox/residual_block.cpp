#include "core/vae/cogvideox/residual_block.h"

namespace reelgrid::vae::cogvideox {

ResidualBlock::ResidualBlock(const LayerSource& source, const Shape& shape)
    : m_norm1(source / "norm1", shape.norm,
              {.channels = shape.in, .groups = shape.groups, .eps = shape.eps, .zDim = shape.zDim}),
      m_conv1(source / "conv1", shape.in, shape.out),
      m_norm2(source / "norm2", shape.norm,
              {.channels = shape.out, .groups = shape.groups, .eps = shape.eps, .zDim = shape.zDim}),
      m_conv2(source / "conv2", shape.out, shape.out) {
    if (shape.in != shape.out)
        m_shortcut.emplace(source / "conv_shortcut", shape.in, shape.out, PointConv::Of::Video);
}

at::Tensor ResidualBlock::forward(at::Tensor x_THWC, const at::Tensor& z_THWC, ConvCache& cache) const {
    const PixelAffine norm1 = m_norm1.over(x_THWC, z_THWC);
    const at::Tensor shortcut = m_shortcut ? m_shortcut->forward(x_THWC) : x_THWC;
    const auto afterConv1 = m_shortcut ? InputAfterwards::Consumed : InputAfterwards::Kept;
    const at::Tensor h =
        m_conv1.forward(x_THWC, cache, {.normSilu = &norm1, .input = afterConv1, .residual_THWO = {}});
    x_THWC.reset();
    const PixelAffine norm2 = m_norm2.over(h, z_THWC);
    return m_conv2.forward(
        h, cache, {.normSilu = &norm2, .input = InputAfterwards::Consumed, .residual_THWO = shortcut});
}

Activations ResidualBlock::forwardBytes(const Activations& x, BatchMemory& memory) const {
    const Activations h = x.with(m_conv1.outChannels());
    const std::int64_t input = memory.bytesOf(x), shortcut = m_shortcut ? memory.bytesOf(h) : 0;
    const std::int64_t factors1 = m_norm1.overBytes(x, input, memory);
    memory.note({input, shortcut, factors1});
    const std::int64_t hBytes = m_conv1.forwardBytes({.x = x,
                                                      .xBytes = input,
                                                      .isNormed = true,
                                                      .isConsumed = m_shortcut.has_value(),
                                                      .beside = {shortcut, factors1}},
                                                     memory);
    const std::int64_t residual = m_shortcut ? shortcut : input;
    const std::int64_t factors2 = m_norm2.overBytes(h, hBytes + residual + factors1, memory);
    m_conv2.forwardBytes({.x = h,
                          .xBytes = hBytes,
                          .isNormed = true,
                          .isConsumed = true,
                          .hasResidual = true,
                          .beside = {residual, factors1, factors2}},
                         memory);
    return h;
}

}  // namespace reelgrid::vae::cogvideox
