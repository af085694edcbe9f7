#pragma once

#include "core/vae/point_conv.h"
#include "core/vae/wan21/chunk_memory.h"
#include "core/vae/wan21/rms_norm.h"

namespace reelgrid::vae::wan21 {

/// One-head self-attention among the pixels of each frame, with a residual around it.
class AttentionBlock {
  public:
    AttentionBlock(const LayerSource& source, std::int64_t channels);
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC) const;
    /// Adds up what forward() takes of x, as large as which it gives.
    void forwardBytes(const Activations& x, ChunkMemory& memory) const;

  private:
    RmsNorm m_norm;
    PointConv m_toQkv, m_proj;
};

}  // namespace reelgrid::vae::wan21
