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

}  // namespace reelgrid::vae::cogvideox
