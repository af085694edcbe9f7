#pragma once

#include <optional>
#include <vector>

#include "core/vae/cogvideox/cogvideox_vae_config.h"
#include "core/vae/cogvideox/mid_block.h"
#include "core/vae/cogvideox/resample.h"

namespace reelgrid::vae::cogvideox {

/// Pictures to the moments of latents, batch by batch.
class Encoder {
  public:
    Encoder(const LayerSource& source, const CogVideoXVaeConfig& config);

    /// x_THWC [T, H, W, 3] → [T', H', W', 2z].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, ConvCache& cache) const;
    /// Adds up what forward() takes of a batch; what comes out.
    Activations forwardBytes(const Activations& x, BatchMemory& memory) const;

  private:
    struct DownBlock {
        std::vector<ResidualBlock> resnets;
        std::optional<Downsample> downsampler;
    };
    static DownBlock makeDownBlock(const LayerSource& source, const CogVideoXVaeConfig& config,
                                   std::size_t level);

    CausalConv3d m_convIn;
    std::vector<DownBlock> m_downBlocks;
    MidBlock m_midBlock;
    Norm m_normOut;
    CausalConv3d m_convOut;
};

}  // namespace reelgrid::vae::cogvideox
