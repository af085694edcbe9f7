#pragma once

#include <utility>

#include "core/vae/cogvideox/residual_block.h"

namespace reelgrid::vae::cogvideox {

/// Two residual blocks: the narrowest part of the encoder and the decoder.
class MidBlock {
  public:
    MidBlock(const LayerSource& source, const ResidualBlock::Shape& shape)
        : m_first(source / "resnets" / 0, shape), m_second(source / "resnets" / 1, shape) {}

    [[nodiscard]] at::Tensor forward(at::Tensor x_THWC, const at::Tensor& z_THWC, ConvCache& cache) const {
        return m_second.forward(m_first.forward(std::move(x_THWC), z_THWC, cache), z_THWC, cache);
    }
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, BatchMemory& memory) const {
        return m_second.forwardBytes(m_first.forwardBytes(x, memory), memory);
    }

  private:
    ResidualBlock m_first, m_second;
};

}  // namespace reelgrid::vae::cogvideox
