#pragma once

#include <stop_token>
#include <vector>

#include "core/vae/image/image_vae_config.h"
#include "core/vae/image/layers.h"

namespace reelgrid::vae::image {

/// Pictures to the moments of their latents (Encoder of diffusers, with quant_conv).
class Encoder {
  public:
    /// `whole` is the autoencoder's source.
    Encoder(const LayerSource& whole, const ImageVaeConfig& config);

    /// [N, H, W, 3] → [N, H', W', 2z]: mean and logvar. Throws Failure(Cancelled) once `stop` is requested.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_NHWC, const std::stop_token& stop) const;
    void forwardBytes(const Activations& x, PictureMemory& memory) const;

  private:
    struct Level {
        std::vector<ResidualBlock> resnets;
        std::optional<HalvingConv> downsampler;
    };
    std::int64_t m_first, m_moments;  ///< channels of the first size, and of what is made
    ImageConv m_conv_in;
    std::vector<Level> m_down_blocks;
    MidBlock m_mid_block;
    GroupNorm m_conv_norm_out;
    ImageConv m_conv_out;
    std::optional<PointConv> m_quant_conv;
};

/// The way back (Decoder of diffusers, with post_quant_conv).
class Decoder {
  public:
    Decoder(const LayerSource& whole, const ImageVaeConfig& config);

    /// [N, H', W', z] → [N, H, W, 3], not clamped.
    [[nodiscard]] at::Tensor forward(const at::Tensor& z_NHWC, const std::stop_token& stop) const;
    void forwardBytes(const Activations& z, PictureMemory& memory) const;

  private:
    struct Level {
        std::vector<ResidualBlock> resnets;
        std::optional<ImageConv> upsampler;
    };
    std::int64_t m_innermost;  ///< channels
    std::optional<PointConv> m_post_quant_conv;
    ImageConv m_conv_in;
    MidBlock m_mid_block;
    std::vector<Level> m_up_blocks;
    GroupNorm m_conv_norm_out;
    ImageConv m_conv_out;
};

}  // namespace reelgrid::vae::image
