#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/vae/wan21/mid_block.h"
#include "core/vae/wan21/resample.h"
#include "core/vae/wan21/resample_shortcut.h"
#include "core/vae/wan21/wan_vae_config.h"

namespace reelgrid::vae::wan21 {

/// Pictures to the moments of the latents, chunk by chunk.
class Encoder {
  public:
    Encoder(const LayerSource& source, const WanVaeConfig& config);

    /// x_THWC [T, H, W, pictureChannels()] → [T', H', W', 2·z]. The first chunk of a clip is one frame, the
    /// others are multiples of the temporal factor.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, FeatureCache& cache) const;
    /// Adds up what forward() takes of a chunk that isn't a longer clip's first.
    void forwardBytes(const Activations& x, ChunkMemory& memory) const;

  private:
    /// A level of the residual kind: its blocks, the way to the next level, and the way around both.
    struct DownLevel {
        std::vector<ResidualBlock> resnets;
        std::optional<Downsample> downsampler;
        MeanShortcut shortcut;

        DownLevel(const LayerSource& source, const WanVaeConfig& config, std::size_t level);
        [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, FeatureCache& cache) const;
        Activations forwardBytes(const Activations& x, ChunkMemory& memory) const;
    };
    Encoder(const LayerSource& source, const WanVaeConfig& config, std::int64_t narrowestChannels);

    CausalConv3d m_convIn;
    std::vector<std::variant<ResidualBlock, Downsample, DownLevel>> m_downBlocks;
    MidBlock m_midBlock;
    RmsNorm m_normOut;
    CausalConv3d m_convOut;
};

}  // namespace reelgrid::vae::wan21
