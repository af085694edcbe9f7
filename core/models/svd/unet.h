#pragma once

// Shape legend: F frames, H rows, W columns of latents, C channels, N tokens of the picture, X their
// channels, E of the timestep's embedding.

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/svd/config.h"
#include "core/models/svd/video_residual.h"
#include "core/models/svd/video_transformer.h"

namespace reelgrid::models::svd {

/// What a clip is to be like, told beside the timestep.
struct Motion {
    double fps = 6;  ///< less one, as the models were trained
    double bucket = 127;
    double noise = 0.02;  ///< of the picture
};

/// Stable Video Diffusion's UNet: a picture's UNet with layers along time in every place. Fields keep
/// diffusers' names. Source: diffusers 0.40, unet_spatio_temporal_condition.py
/// (UNetSpatioTemporalConditionModel); Blattmann et al., arXiv 2311.15127.
class VideoUnet {
  public:
    VideoUnet(const VideoUnetConfig& config, const weights::WeightScope& scope);

    /// [1, E] of what the sampler says of a noise level, and of the motion.
    [[nodiscard]] at::Tensor embedTime(double timestep, const Motion& motion) const;

    /// Latents with the picture's beside them [1, C, F, H, W], embedTime() of their step, the picture as
    /// CLIP sees it [1, N, X] → [1, C / 2, F, H, W] in the model's dtype. Throws Failure(InvalidData) for
    /// shapes that don't fit.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents, const at::Tensor& time_1E,
                                     const at::Tensor& picture, const attention::LayerContext& context) const;

    [[nodiscard]] const VideoUnetConfig& config() const { return m_config; }

    /// Frames, rows and columns of latents.
    struct ClipPixels {
        std::int64_t frames = 0, rows = 0, columns = 0;
    };
    /// About what a pass works in beside the weights.
    static std::uint64_t passBytes(const VideoUnetConfig& config, at::ScalarType dtype,
                                   const ClipPixels& latents);
    /// Of the weights as they are kept.
    static std::uint64_t weightBytes(const VideoUnetConfig& config, at::ScalarType dtype, at::Device device);

  private:
    /// A residual layer and what follows it.
    struct Place {
        VideoResidual resnet;
        std::optional<VideoTransformer> attention;
    };
    struct Block {
        std::vector<Place> places;
        std::optional<vae::HalvingConv> downsampler;
        std::optional<vae::ImageConv> upsampler;
    };
    struct Loader;
    struct Pass;
    explicit VideoUnet(Loader&& loader);

    [[nodiscard]] static at::Tensor throughPlace(const Place& place, const at::Tensor& x_FHWC,
                                                 const Pass& pass);
    [[nodiscard]] at::Tensor down(at::Tensor x_FHWC, std::vector<at::Tensor>& skips, const Pass& pass) const;
    [[nodiscard]] at::Tensor up(at::Tensor x_FHWC, std::vector<at::Tensor>& skips, const Pass& pass) const;
    void requireInputs(const at::Tensor& latents, const at::Tensor& picture) const;

    VideoUnetConfig m_config;
    at::TensorOptions m_options;
    vae::ImageConv m_conv_in;
    Linear m_time_embedding_1, m_time_embedding_2, m_add_embedding_1, m_add_embedding_2;
    std::vector<Block> m_down_blocks;
    Place m_mid_first;  ///< its attention lies before m_mid_last
    VideoResidual m_mid_last;
    std::vector<Block> m_up_blocks;
    vae::GroupNorm m_conv_norm_out;
    vae::ImageConv m_conv_out;
};

}  // namespace reelgrid::models::svd
