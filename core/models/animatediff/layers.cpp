#include "core/models/animatediff/layers.h"

namespace reelgrid::models::animatediff {

ResidualBlock::ResidualBlock(const LayerSource& source, const Sizes& sizes)
    : m_out(sizes.out),
      m_norm1(source / "norm1", sizes.in, sizes.normGroups, sizes.normEps),
      m_conv1(source / "conv1", sizes.in, sizes.out),
      m_time_emb_proj(Linear::load(source.weights / "time_emb_proj", sizes.timeChannels, sizes.out)),
      m_norm2(source / "norm2", sizes.out, sizes.normGroups, sizes.normEps),
      m_conv2(source / "conv2", sizes.out, sizes.out) {
    if (sizes.in != sizes.out)
        m_conv_shortcut.emplace(source / "conv_shortcut", sizes.in, sizes.out, vae::PointConv::Of::Image);
}

at::Tensor ResidualBlock::forward(const at::Tensor& x_FHWC, const at::Tensor& time_1E) const {
    at::Tensor y_FHWO = m_conv1.forward(m_norm1.forwardSilu(x_FHWC));
    y_FHWO.add_(m_time_emb_proj(time_1E));
    // Memory of its own: the convolution may write its sum there.
    const at::Tensor shortcut_FHWO = m_conv_shortcut ? m_conv_shortcut->forward(x_FHWC) : x_FHWC.clone();
    return m_conv2.forward(m_norm2.forwardSilu(y_FHWO), shortcut_FHWO);
}

SelfProducts SelfProducts::load(const weights::WeightScope& scope, std::int64_t channels) {
    const auto weight = [&](const char* name) { return (scope / name)("weight", {channels, channels}); };
    return {.to_qkv = {.weight = at::cat({weight("to_q"), weight("to_k"), weight("to_v")}), .bias = {}},
            .to_out = Linear::load(scope / "to_out" / 0, channels, channels)};
}

void noteTokenLayers(const vae::Activations& x, std::size_t beside, vae::PictureMemory& memory) {
    // The normed; queries, keys and values; what they become, in order of tokens, its product.
    constexpr std::size_t kAttention = 1 + 3 + 3;
    // The normed; a product 8 times as wide, gelu of its half and theirs, 4 times; the last.
    constexpr std::size_t kFeedForward = 1 + 8 + 4 + 4 + 1;
    for (const std::size_t tensors : {kAttention, kFeedForward})
        memory.note(vae::MemoryWalk::Pieces(beside + 1 + tensors, memory.bytesOf(x)));
}

at::Tensor headsOf(const at::Tensor& x_BNC, std::int64_t heads) {
    return x_BNC.unflatten(-1, {heads, -1}).transpose(1, 2);
}

}  // namespace reelgrid::models::animatediff
