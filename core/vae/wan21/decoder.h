#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/vae/wan21/mid_block.h"
#include "core/vae/wan21/resample.h"
#include "core/vae/wan21/resample_shortcut.h"
#include "core/vae/wan21/wan_vae_config.h"

namespace reelgrid::vae::wan21 {

/// Latents to pictures, chunk by chunk.
class Decoder {
  public:
    Decoder(const LayerSource& source, const WanVaeConfig& config);

    /// z_THWC [T, H, W, z] → [T', H', W', pictureChannels()], not clamped. The first chunk of a clip is one
    /// latent frame and gives one frame; every later latent frame gives as many as the temporal factor.
    [[nodiscard]] at::Tensor forward(const at::Tensor& z_THWC, FeatureCache& cache) const;
    /// Adds up what forward() takes of a chunk that isn't a longer clip's first.
    void forwardBytes(const Activations& z, ChunkMemory& memory) const;

  private:
    /// The residual blocks of one size, and the way to the next.
    struct UpBlock {
        std::vector<ResidualBlock> resnets;
        std::optional<Upsample> upsampler;
        std::optional<RepeatShortcut> shortcut;  ///< around both
    };
    static UpBlock makeUpBlock(const LayerSource& source, const WanVaeConfig& config, std::size_t up);
    [[nodiscard]] static at::Tensor forwardUp(const UpBlock& block, const at::Tensor& x_THWC,
                                              FeatureCache& cache, const std::string& name);
    static Activations upBytes(const UpBlock& block, const Activations& x, ChunkMemory& memory);

    CausalConv3d m_convIn;
    MidBlock m_midBlock;
    std::vector<UpBlock> m_upBlocks;
    RmsNorm m_normOut;
    CausalConv3d m_convOut;
};

}  // namespace reelgrid::vae::wan21
