#pragma once

// Shape legend: F frames, H rows, W columns of latents, C channels, N text tokens, X channels of text, E of
// the timestep's embedding.

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/animatediff/config.h"
#include "core/models/animatediff/motion_module.h"
#include "core/models/animatediff/spatial_transformer.h"
#include "core/models/unet/places.h"

namespace reelgrid::models::animatediff {

using unet::ResidualBlock;
using vae::LayerSource;

/// What a render asks of the motion modules.
struct MotionOptions {
    /// Blocks that go without their motion modules: "down0", "mid", "up3", numbered in the order of a forward
    /// pass.
    std::vector<std::string> skippedBlocks{};
    /// Frames that go through the image model's layers at once, and in motion modules as many of the pixels
    /// in proportion: memory follows it. 0: all.
    std::int64_t framesTogether = 0;
    MotionModule::Manner manner{};
};

/// Stable Diffusion's UNet with AnimateDiff's motion modules behind its residual layers and attention;
/// without them the image model by itself, frame by frame. Fields keep diffusers' names. Source: diffusers
/// 0.40, unet_motion_model.py (UNetMotionModel), unet_2d_condition.py.
class MotionUnet {
  public:
    /// Both sources by diffusers' names; without a motion module's no frame knows of another. They have to
    /// live as long as the UNet where its blocks (its places, unet/places.h) are streamed. Throws
    /// Failure(BadUsage) for a skipped block that there isn't.
    MotionUnet(const UnetConfig& config, const weights::WeightScope& image,
               const std::optional<MotionConfig>& motion, const weights::WeightScope& motionWeights,
               const MotionOptions& options = {}, const BlockOptions& blocks = {});
    /// The image model alone.
    MotionUnet(const UnetConfig& config, const weights::WeightScope& image);

    /// From now on. Throws Failure(BadUsage) for a skipped block that there isn't.
    void move(const MotionOptions& options);

    /// [1, E] of a training timestep, or of what the sampler says of its noise level.
    [[nodiscard]] at::Tensor embedTimestep(double timestep) const;

    /// Latents [1, C, F, H, W], embedTimestep() of their step, text [1, N, X] of all frames or [F, N, X] →
    /// [1, C, F, H, W] in the model's dtype. Throws Failure(InvalidData) for shapes that don't fit, BadUsage
    /// for more frames than a motion module has positions.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents, const at::Tensor& time_1E,
                                     const at::Tensor& text, const attention::LayerContext& context) const;

    [[nodiscard]] const UnetConfig& config() const { return m_config; }
    /// Takes every place's parameters once, as a forward pass does.
    void visitBlocks();
    /// Of the places' weights, those that stay on the device.
    [[nodiscard]] std::uint64_t blockBytes() const { return m_layers->deviceBytes(); }

    /// A pass over latents, in so many frames, rows and columns.
    struct LatentSize {
        std::int64_t frames = 0, rows = 0, columns = 0;
    };
    /// What it works in beside the weights, at its fullest moment, were the model of that dtype on that
    /// device.
    [[nodiscard]] vae::PictureMemory passBytes(const LatentSize& latents, at::ScalarType dtype,
                                               at::Device device) const;
    /// Of a model that isn't loaded: of both parts' weights as they are kept, the places' where the options
    /// put them, and of a pass.
    static std::uint64_t weightBytes(const UnetConfig& config, const MotionConfig& motion,
                                     at::ScalarType dtype, at::Device device,
                                     const BlockOptions& blocks = {});
    static std::uint64_t passBytesOf(const UnetConfig& config, const MotionConfig& motion,
                                     const LatentSize& latents, at::ScalarType dtype, at::Device device);

  private:
    /// A residual layer and what follows it.
    struct Place {
        ResidualBlock resnet;
        std::optional<SpatialTransformer> attention;
        std::optional<MotionModule> motion;
        unet::Sampler sampler;

        template <class Visit>
        void eachTensor(const Visit& visit) {
            resnet.eachTensor(visit);
            if (attention) attention->eachTensor(visit);
            if (motion) motion->eachTensor(visit);
            sampler.eachTensor(visit);
        }
        /// All products are the dtype's.
        template <class Visit>
        void eachLinear(const Visit& /*visit*/) {}
    };
    /// Makes the layers of a place, each by itself.
    struct Loader {
        UnetConfig config;
        std::optional<MotionConfig> motion;
        LayerSource image, motionWeights;

        [[nodiscard]] Place place(const unet::PlaceInUnet& where) const;
        [[nodiscard]] std::unique_ptr<Blocks<Place>> layers(const std::vector<unet::PlaceInUnet>& places,
                                                            const BlockOptions& options) const;
    };
    struct Pass;
    MotionUnet(const Loader& loader, const BlockOptions& blocks);

    /// Whether attention, whether motion modules follow a place's residual layer.
    static bool hasAttention(const UnetConfig& config, const unet::PlaceInUnet& where);
    static bool hasMotion(const std::optional<MotionConfig>& motion, const unet::PlaceInUnet& where);

    void requireKnownBlocks(const MotionOptions& options) const;

    [[nodiscard]] at::Tensor throughImageLayers(const Place& place, const at::Tensor& x_FHWC,
                                                const Pass& pass) const;
    [[nodiscard]] at::Tensor throughPlace(std::size_t index, const Place& place, const at::Tensor& x_FHWC,
                                          const Pass& pass) const;
    vae::Activations placeBytes(std::size_t index, const vae::Activations& x,
                                vae::PictureMemory& memory) const;
    void requireInputs(const at::Tensor& latents, const at::Tensor& text) const;

    UnetConfig m_config;
    std::optional<MotionConfig> m_motion;
    at::TensorOptions m_options;
    MotionModule::Manner m_manner;
    std::int64_t m_framesTogether = 0;
    vae::ImageConv m_conv_in;
    Linear m_time_embedding_1, m_time_embedding_2;
    std::vector<unet::PlaceInUnet> m_places;
    std::unique_ptr<Blocks<Place>> m_layers;  ///< of each place
    std::vector<bool> m_moves;                ///< whether a place's motion module takes part
    vae::GroupNorm m_conv_norm_out;
    vae::ImageConv m_conv_out;
};

}  // namespace reelgrid::models::animatediff
