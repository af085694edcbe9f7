#pragma once

// Shape legend: C channels (3, or z of a latent), T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <functional>
#include <optional>
#include <stop_token>

#include "core/vae/image/coders.h"
#include "core/vae/image/image_vae_config.h"

namespace reelgrid::vae::image {

/// The posterior of frames' latents, fp32 [z, T, H', W']; logvar within [−30, 20].
struct LatentMoments {
    at::Tensor mean_CTHW, logvar_CTHW;
};

/// Frames finished so far, of how many.
using FrameProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Takes frames [T, H, W, 3] as they are decoded: fp32, contiguous, RGB within [−1, 1].
using FrameSink = std::function<void(const at::Tensor& frames_THWC)>;

/// Which direction to load: making pictures of latents needs no encoder.
enum class ImageVaeParts { Both, Encoder, Decoder };

struct ImageVaeOptions {
    ImageVaeParts parts = ImageVaeParts::Both;
    ConvEngine engine = ConvEngine::Fastest;
    /// Frames that go through together; diffusers' slicing is 1. The result doesn't depend on it.
    std::int64_t framesTogether = 1;
};

/// Stable Diffusion's autoencoder (AutoencoderKL of diffusers): a clip's frames, each by itself, in the dtype
/// and on the device of the weight scope. Not changed by use: one instance may serve several threads.
///
/// Latents are the encoder's own: a denoiser works on (latents − shiftFactor) · scalingFactor.
/// Everything throws Failure: InvalidData for shapes it can't take, Internal without its part, Cancelled once
/// `stop` was requested (seen within one block of layers).
class ImageVae {
  public:
    /// Names are diffusers'; a single file's and those of before 2023 come through imageVaeNames().
    ImageVae(const weights::WeightScope& scope, ImageVaeConfig config, ImageVaeOptions options = {});

    /// x_CTHW [3, T, H, W] within [−1, 1], H and W multiples of the spatial factor.
    [[nodiscard]] LatentMoments encode(const at::Tensor& x_CTHW, const FrameProgress& progress = {},
                                       std::stop_token stop = {}) const;
    /// z_CTHW [z, T, H, W] → fp32 [T, s·H, s·W, 3] within [−1, 1], handed out as they are made.
    void decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop = {}) const;

    /// The same in tiles (tiling.h; diffusers' own are config().tiling()). The result differs from that of
    /// the whole, and not at seams alone: norms and attention see their tile alone.
    [[nodiscard]] LatentMoments encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                            const FrameProgress& progress = {},
                                            std::stop_token stop = {}) const;
    /// All at once.
    [[nodiscard]] at::Tensor decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                         const FrameProgress& progress = {}, std::stop_token stop = {}) const;

    [[nodiscard]] const ImageVaeConfig& config() const { return m_config; }

  private:
    /// Is given some frames [C, T, H, W] after another.
    using Part = std::function<void(const at::Tensor& some_CTHW)>;
    void inParts(const at::Tensor& in_CTHW, const Part& part) const;
    /// [3, T, H, W] → [T, H', W', 2z], fp32.
    [[nodiscard]] at::Tensor momentsOf(const at::Tensor& x_CTHW, const std::stop_token& stop) const;
    /// [z, T, H', W'] → [T, H, W, 3], fp32, not clamped.
    [[nodiscard]] at::Tensor framesOf(const at::Tensor& z_CTHW, const std::stop_token& stop) const;
    void requireFrames(const at::Tensor& x_CTHW) const;
    void requireLatents(const at::Tensor& z_CTHW) const;

    ImageVaeConfig m_config;
    ImageVaeOptions m_options;
    at::TensorOptions m_tensorOptions;
    std::optional<Encoder> m_encoder;
    std::optional<Decoder> m_decoder;
};

}  // namespace reelgrid::vae::image
