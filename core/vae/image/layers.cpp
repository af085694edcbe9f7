#include "core/vae/image/layers.h"

namespace reelgrid::vae::image {
namespace {

constexpr double kNormEps = 1e-6;

}  // namespace

ResidualBlock::ResidualBlock(const LayerSource& source, std::int64_t in, std::int64_t out,
                             std::int64_t groups)
    : m_out(out),
      m_norm1(source / "norm1", in, groups, kNormEps),
      m_conv1(source / "conv1", in, out),
      m_norm2(source / "norm2", out, groups, kNormEps),
      m_conv2(source / "conv2", out, out) {
    if (in != out) m_conv_shortcut.emplace(source / "conv_shortcut", in, out, PointConv::Of::Image);
}

at::Tensor ResidualBlock::forward(const at::Tensor& x_NHWC) const {
    if (m_conv1.isOnGpu()) {
        // The second norm adds what the first convolution leaves out.
        const at::Tensor made_NHWO = m_conv1.product(m_norm1.forwardSilu(x_NHWC));
        const at::Tensor normed_NHWO = m_norm2.forwardSilu(made_NHWO, m_conv1.bias_1O());
        return m_conv2.forward(normed_NHWO, m_conv_shortcut ? m_conv_shortcut->forward(x_NHWC) : x_NHWC);
    }
    const at::Tensor y_NHWO = m_conv1.forward(m_norm1.forwardSilu(x_NHWC));
    // Memory of its own where nothing maps it: the convolution may write its sum there.
    const at::Tensor shortcut_NHWO = m_conv_shortcut ? m_conv_shortcut->forward(x_NHWC) : x_NHWC.clone();
    return m_conv2.forward(m_norm2.forwardSilu(y_NHWO), shortcut_NHWO);
}

void AttentionBlock::forwardBytes(const Activations& x, PictureMemory& memory) const {
    // Its input, the normed, queries, keys and values, and what they become.
    constexpr std::size_t kTensors = 6;
    memory.note(MemoryWalk::Pieces(kTensors, memory.bytesOf(x)));
}

AttentionBlock::AttentionBlock(const LayerSource& source, std::int64_t channels, std::int64_t groups)
    : m_group_norm(source / "group_norm", channels, groups, kNormEps) {
    const auto product = [&](const LayerSource& at) {
        return Affine{at.weights("weight", {channels, channels}), at.weights("bias", {channels})};
    };
    m_to_q = product(source / "to_q");
    m_to_k = product(source / "to_k");
    m_to_v = product(source / "to_v");
    m_to_out = product(source / "to_out" / 0);
}

at::Tensor AttentionBlock::forward(const at::Tensor& x_NHWC) const {
    const at::Tensor normed_NPC = m_group_norm.forward(x_NHWC).flatten(1, 2);
    const auto head_N1PC = [&](const Affine& map) {
        return execution::linear(normed_NPC, map.weight_OC, map.bias_O).unsqueeze(1);
    };
    const at::Tensor mixed_N1PC =
        at::scaled_dot_product_attention(head_N1PC(m_to_q), head_N1PC(m_to_k), head_N1PC(m_to_v));
    return x_NHWC +
           execution::linear(mixed_N1PC.squeeze(1), m_to_out.weight_OC, m_to_out.bias_O).view_as(x_NHWC);
}

}  // namespace reelgrid::vae::image
