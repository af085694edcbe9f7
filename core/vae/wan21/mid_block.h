#pragma once

#include "core/vae/wan21/attention_block.h"
#include "core/vae/wan21/residual_block.h"

namespace reelgrid::vae::wan21 {

/// Residual block, attention, residual block: the narrowest part of the encoder and the decoder.
class MidBlock {
  public:
    MidBlock(const LayerSource& source, std::int64_t channels)
        : m_first(source / "resnets" / 0, channels, channels),
          m_attention(source / "attentions" / 0, channels),
          m_second(source / "resnets" / 1, channels, channels) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, FeatureCache& cache) const {
        const at::Tensor h = m_attention.forward(m_first.forward(x_THWC, cache));
        return m_second.forward(h, cache);
    }
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, ChunkMemory& memory) const {
        const Activations h = m_first.forwardBytes(x, memory);
        m_attention.forwardBytes(h, memory);
        return m_second.forwardBytes(h, memory);
    }

  private:
    ResidualBlock m_first;
    AttentionBlock m_attention;
    ResidualBlock m_second;
};

}  // namespace reelgrid::vae::wan21
