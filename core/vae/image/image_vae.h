#pragma once

// Shape legend: C channels (3, or z of a latent), T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/vae/image/coders.h"
#include "core/vae/image/image_vae_config.h"
#include "core/vae/video_vae.h"

namespace reelgrid::vae::image {

struct ImageVaeOptions {
    VaeParts parts = VaeParts::Both;
    ConvEngine engine = ConvEngine::Fastest;
    /// Frames that go through together; diffusers' slicing is 1. The result doesn't depend on it.
    std::int64_t framesTogether = 1;
};

/// Stable Diffusion's autoencoder (AutoencoderKL of diffusers): a clip's frames, each by itself, in the dtype
/// and on the device of the weight scope. Cancelling is seen within one block of layers.
class ImageVae final : public VideoVae {
  public:
    /// Names are diffusers'; a single file's and those of before 2023 come through imageVaeNames().
    ImageVae(const weights::WeightScope& scope, ImageVaeConfig config, ImageVaeOptions options = {});
    /// Without weights, for what it says of shapes and bytes.
    static std::unique_ptr<ImageVae> described(const ImageVaeConfig& config, const VaeComputing& computing,
                                               VaeParts parts = VaeParts::Both);

    [[nodiscard]] VaeShape shape() const override;
    [[nodiscard]] Tiling tilingOf(std::int64_t tilePixels) const override {
        return Tiling::ofEdge(tilePixels, m_config.spatialFactor());
    }

    [[nodiscard]] LatentMoments encode(const at::Tensor& x_CTHW, const FrameProgress& progress = {},
                                       std::stop_token stop = {}) const override;
    void decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop = {}) const override;
    /// diffusers' own tiles are config().tiling(). The result differs from that of the whole, and not at
    /// seams alone: norms and attention see their tile alone.
    [[nodiscard]] LatentMoments encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                            const FrameProgress& progress = {},
                                            std::stop_token stop = {}) const override;
    [[nodiscard]] at::Tensor decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                         const FrameProgress& progress = {},
                                         std::stop_token stop = {}) const override;

    /// (z − shiftFactor) · scalingFactor of the configuration.
    [[nodiscard]] at::Tensor normalised(const at::Tensor& z_CTHW) const override {
        return (z_CTHW - m_config.shiftFactor) * m_config.scalingFactor;
    }
    [[nodiscard]] at::Tensor denormalised(const at::Tensor& z_CTHW) const override {
        return z_CTHW / m_config.scalingFactor + m_config.shiftFactor;
    }

    [[nodiscard]] std::uint64_t bytesToEncode(const ClipSize& clip,
                                              const std::optional<Tiling>& tiling = {}) const override;
    [[nodiscard]] std::uint64_t bytesToDecode(const ClipSize& clip,
                                              const std::optional<Tiling>& tiling = {}) const override;
    /// The CPU's kernels have theirs transformed (kernels/cpu/vae).
    [[nodiscard]] std::uint64_t weightBytes() const override;
    /// What layers take of the frames that go through together.
    [[nodiscard]] PictureMemory layersToEncode(const ClipSize& clip) const;
    [[nodiscard]] PictureMemory layersToDecode(const ClipSize& clip) const;

    [[nodiscard]] const ImageVaeConfig& config() const { return m_config; }

  private:
    /// Is given some frames [C, T, H, W] after another.
    using Part = std::function<void(const at::Tensor& some_CTHW)>;
    void inParts(const at::Tensor& in_CTHW, const Part& part) const;
    [[nodiscard]] std::int64_t together(std::int64_t frames) const;
    /// [3, T, H, W] → [T, H', W', 2z], fp32.
    [[nodiscard]] at::Tensor momentsOf(const at::Tensor& x_CTHW, const std::stop_token& stop) const;
    /// [z, T, H', W'] → [T, H, W, 3], fp32, not clamped.
    [[nodiscard]] at::Tensor framesOf(const at::Tensor& z_CTHW, const std::stop_token& stop) const;
    void requireFrames(const at::Tensor& x_CTHW) const;
    void requireLatents(const at::Tensor& z_CTHW) const;
    [[nodiscard]] PictureMemory noMemory() const;

    ImageVaeConfig m_config;
    ImageVaeOptions m_options;
    bool m_isDescription = false;  ///< it has no weights
    at::TensorOptions m_tensorOptions;
    std::optional<Encoder> m_encoder;
    std::optional<Decoder> m_decoder;
};

}  // namespace reelgrid::vae::image
