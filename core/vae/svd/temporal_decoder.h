#pragma once

// Shape legend: T frames, H rows, W columns, C channels.

#include <ATen/ATen.h>

#include <optional>
#include <stop_token>
#include <vector>

#include "core/vae/image/layers.h"
#include "core/vae/svd/svd_vae_config.h"
#include "core/vae/temporal_residual.h"

namespace reelgrid::vae::svd {

/// Latents to frames that see each other: layers of a picture, and one along time behind each
/// (TemporalDecoder of diffusers).
class TemporalDecoder {
  public:
    /// `whole` is the autoencoder's source.
    TemporalDecoder(const LayerSource& whole, const SvdVaeConfig& config);

    /// [T, H', W', z] → [T, H, W, 3], not clamped. Throws Failure(Cancelled) once `stop` is requested.
    [[nodiscard]] at::Tensor forward(const at::Tensor& z_THWC, const std::stop_token& stop) const;
    void forwardBytes(const Activations& z, PictureMemory& memory) const;

  private:
    /// SpatioTemporalResBlock of diffusers.
    struct VideoResidual {
        image::ResidualBlock still;
        TemporalResidual moving;

        VideoResidual(const LayerSource& source, std::int64_t in, std::int64_t out);
        [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC) const {
            return moving.forward(still.forward(x_THWC));
        }
        Activations forwardBytes(const Activations& x, PictureMemory& memory) const;
    };
    struct Level {
        std::vector<VideoResidual> resnets;
        std::optional<ImageConv> upsampler;
    };
    std::int64_t m_innermost;
    ImageConv m_conv_in;
    VideoResidual m_mid_first;
    /// Absent in a decoder of one layer a block, whose reference has an attention and doesn't run it.
    std::optional<image::AttentionBlock> m_mid_attention;
    std::optional<VideoResidual> m_mid_last;
    std::vector<Level> m_up_blocks;
    GroupNorm m_conv_norm_out;
    ImageConv m_conv_out;
    FrameConv m_time_conv_out;
};

}  // namespace reelgrid::vae::svd
