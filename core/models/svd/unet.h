#pragma once

// Shape legend: F frames, H rows, W columns of latents, C channels, N tokens of the picture, X their
// channels, E of the timestep's embedding.

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/svd/config.h"
#include "core/models/svd/video_residual.h"
#include "core/models/svd/video_transformer.h"
#include "core/models/unet/places.h"

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
    /// The scope's source has to live as long as the UNet where its blocks (its places, unet/places.h) are
    /// streamed.
    VideoUnet(const VideoUnetConfig& config, const weights::WeightScope& scope,
              const BlockOptions& blocks = {});

    /// [1, E] of what the sampler says of a noise level, and of the motion.
    [[nodiscard]] at::Tensor embedTime(double timestep, const Motion& motion) const;

    /// Latents with the picture's beside them [1, C, F, H, W], embedTime() of their step, the picture as
    /// CLIP sees it [1, N, X] → [1, C / 2, F, H, W] in the model's dtype. Throws Failure(InvalidData) for
    /// shapes that don't fit.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents, const at::Tensor& time_1E,
                                     const at::Tensor& picture, const attention::LayerContext& context) const;

    [[nodiscard]] const VideoUnetConfig& config() const { return m_config; }
    /// Takes every place's parameters once, as a forward pass does.
    void visitBlocks();
    /// Of the places' weights, those that stay on the device.
    [[nodiscard]] std::uint64_t blockBytes() const { return m_layers->deviceBytes(); }

    /// Frames, rows and columns of latents.
    struct ClipPixels {
        std::int64_t frames = 0, rows = 0, columns = 0;
    };
    /// About what a pass works in beside the weights.
    static std::uint64_t passBytes(const VideoUnetConfig& config, at::ScalarType dtype,
                                   const ClipPixels& latents);
    /// Of the weights as they are kept, the places' where the options put them.
    static std::uint64_t weightBytes(const VideoUnetConfig& config, at::ScalarType dtype, at::Device device,
                                     const BlockOptions& blocks = {});

  private:
    /// A residual layer and what follows it.
    struct Place {
        VideoResidual resnet;
        std::optional<VideoTransformer> attention;
        unet::Sampler sampler;

        template <class Visit>
        void eachTensor(const Visit& visit) {
            resnet.eachTensor(visit);
            if (attention) attention->eachTensor(visit);
            sampler.eachTensor(visit);
        }
        /// All products are the dtype's.
        template <class Visit>
        void eachLinear(const Visit& /*visit*/) {}
    };
    /// Makes the layers of a place, each by itself.
    struct Loader {
        VideoUnetConfig config;
        vae::LayerSource source;

        [[nodiscard]] Linear embedding(const char* name, const char* layer, std::int64_t in) const;
        [[nodiscard]] Place place(const unet::PlaceInUnet& where) const;
        [[nodiscard]] std::unique_ptr<Blocks<Place>> layers(const std::vector<unet::PlaceInUnet>& places,
                                                            const BlockOptions& options) const;
    };
    VideoUnet(const Loader& loader, const BlockOptions& blocks);

    void requireInputs(const at::Tensor& latents, const at::Tensor& picture) const;

    VideoUnetConfig m_config;
    at::TensorOptions m_options;
    vae::ImageConv m_conv_in;
    Linear m_time_embedding_1, m_time_embedding_2, m_add_embedding_1, m_add_embedding_2;
    std::vector<unet::PlaceInUnet> m_places;
    std::unique_ptr<Blocks<Place>> m_layers;  ///< of each place
    vae::GroupNorm m_conv_norm_out;
    vae::ImageConv m_conv_out;
};

}  // namespace reelgrid::models::svd
