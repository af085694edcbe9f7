#pragma once

#include <optional>

#include "core/vae/cogvideox/causal_conv3d.h"
#include "core/vae/cogvideox/norm.h"
#include "core/vae/point_conv.h"

namespace reelgrid::vae::cogvideox {

/// conv2(silu(norm2(conv1(silu(norm1(x)))))) + shortcut(x) (CogVideoXResnetBlock3D of diffusers).
class ResidualBlock {
  public:
    struct Shape {
        std::int64_t in = 0, out = 0;
        Norm::Of norm = Norm::Of::Frames;
        std::int64_t groups = 0;
        double eps = 1e-6;
        std::int64_t zDim = 0;
    };
    ResidualBlock(const LayerSource& source, const Shape& shape);

    /// z_THWC are the batch's latents for a norm that has them. x_THWC's memory is used: for the output, or
    /// while the first convolution needs it and then freed, where nobody else has it.
    [[nodiscard]] at::Tensor forward(at::Tensor x_THWC, const at::Tensor& z_THWC, ConvCache& cache) const;
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, BatchMemory& memory) const;

  private:
    Norm m_norm1;
    CausalConv3d m_conv1;
    Norm m_norm2;
    CausalConv3d m_conv2;
    std::optional<PointConv> m_shortcut;  ///< where the number of channels changes
};

}  // namespace reelgrid::vae::cogvideox
