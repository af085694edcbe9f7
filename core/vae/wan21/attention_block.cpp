#include "core/vae/wan21/attention_block.h"

namespace reelgrid::vae::wan21 {

AttentionBlock::AttentionBlock(const LayerSource& source, std::int64_t channels)
    : m_norm(source / "norm", channels, RmsNorm::Of::Image),
      m_toQkv(source / "to_qkv", channels, 3 * channels, PointConv::Of::Image),
      m_proj(source / "proj", channels, channels, PointConv::Of::Image) {}

at::Tensor AttentionBlock::forward(const at::Tensor& x_THWC) const {
    const std::int64_t frames = x_THWC.size(0), channels = x_THWC.size(3);
    const at::Tensor qkv_T1PC = m_toQkv.forward(m_norm.forward(x_THWC)).view({frames, 1, -1, 3 * channels});
    const auto parts = qkv_T1PC.chunk(3, 3);
    const at::Tensor mixed = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
    return m_proj.forward(mixed.reshape(x_THWC.sizes())).add_(x_THWC);
}

void AttentionBlock::forwardBytes(const Activations& x, ChunkMemory& memory) const {
    // The normed input with queries, keys and values, or these with what they give.
    const std::int64_t bytes = memory.bytesOf(x);
    memory.note({bytes, bytes, 3 * bytes, bytes});
}

}  // namespace reelgrid::vae::wan21
