#include "core/vae/wan21/residual_block.h"

namespace reelgrid::vae::wan21 {

ResidualBlock::ResidualBlock(const LayerSource& source, std::int64_t in, std::int64_t out)
    : m_norm1(source / "norm1", in, RmsNorm::Of::Video),
      m_conv1(source / "conv1", in, out),
      m_norm2(source / "norm2", out, RmsNorm::Of::Video),
      m_conv2(source / "conv2", out, out) {
    if (in != out) m_shortcut.emplace(source / "conv_shortcut", in, out, PointConv::Of::Video);
}

at::Tensor ResidualBlock::forward(const at::Tensor& x_THWC, FeatureCache& cache) const {
    const at::Tensor h = m_conv1.forward(x_THWC, cache, {.normSilu = &m_norm1, .residual_THWO = {}});
    const at::Tensor shortcut = m_shortcut ? m_shortcut->forward(x_THWC) : x_THWC;
    return m_conv2.forward(h, cache, {.normSilu = &m_norm2, .residual_THWO = shortcut});
}

Activations ResidualBlock::forwardBytes(const Activations& x, ChunkMemory& memory) const {
    const Activations h = m_conv1.forwardBytes(x, memory);
    using Output = CausalConv3d::Output;
    MemoryWalk::Pieces pieces =
        m_conv2.pieces(h, memory.path() == ConvPath::Winograd ? Output::OfResidual : Output::New, memory);
    pieces.push_back(memory.bytesOf(x));
    if (m_shortcut) pieces.push_back(memory.bytesOf(h));
    memory.note(pieces);
    memory.remember(h, kHistoryFrames);
    return h;
}

}  // namespace reelgrid::vae::wan21
