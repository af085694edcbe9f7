#pragma once

#include <optional>
#include <vector>

#include "core/vae/cogvideox/cogvideox_vae_config.h"
#include "core/vae/cogvideox/mid_block.h"
#include "core/vae/cogvideox/resample.h"

namespace reelgrid::vae::cogvideox {

/// Latents to pictures, batch by batch.
class Decoder {
  public:
    Decoder(const LayerSource& source, const CogVideoXVaeConfig& config);

    /// z_THWC [T, H, W, z] → [T', H', W', 3], not clamped.
    [[nodiscard]] at::Tensor forward(const at::Tensor& z_THWC, ConvCache& cache) const;
    /// Adds up what forward() takes of a batch, begun with its latents; what comes out.
    Activations forwardBytes(const Activations& z, BatchMemory& memory) const;

  private:
    struct UpBlock {
        std::vector<ResidualBlock> resnets;
        std::optional<Upsample> upsampler;
    };
    static UpBlock makeUpBlock(const LayerSource& source, const CogVideoXVaeConfig& config, std::size_t up);

    CausalConv3d m_convIn;
    MidBlock m_midBlock;
    std::vector<UpBlock> m_upBlocks;
    Norm m_normOut;
    CausalConv3d m_convOut;
};

}  // namespace reelgrid::vae::cogvideox
