#pragma once

#include <optional>

#include "core/vae/point_conv.h"
#include "core/vae/wan21/causal_conv3d.h"

namespace reelgrid::vae::wan21 {

/// conv2(silu(norm2(conv1(silu(norm1(x)))))) + shortcut(x).
class ResidualBlock {
  public:
    ResidualBlock(const LayerSource& source, std::int64_t in, std::int64_t out);
    /// The output may take the memory of x_THWC: not to be used afterwards.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, FeatureCache& cache) const;
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, ChunkMemory& memory) const;

  private:
    RmsNorm m_norm1;
    CausalConv3d m_conv1;
    RmsNorm m_norm2;
    CausalConv3d m_conv2;
    std::optional<PointConv> m_shortcut;  ///< where the number of channels changes
};

}  // namespace reelgrid::vae::wan21
