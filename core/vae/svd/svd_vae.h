#pragma once

// Shape legend: C channels (3, or z of a latent), T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <stop_token>

#include "core/vae/image/coders.h"
#include "core/vae/picture_memory.h"
#include "core/vae/svd/svd_vae_config.h"
#include "core/vae/svd/temporal_decoder.h"
#include "core/vae/video_vae.h"

namespace reelgrid::vae::svd {

struct SvdVaeOptions {
    VaeParts parts = VaeParts::Both;
    ConvEngine engine = ConvEngine::Fastest;
};

/// Stable Video Diffusion's autoencoder (AutoencoderKLTemporalDecoder of diffusers): a picture's encoder, and
/// a decoder whose frames see each other. All frames that decodeTo() is given are decoded together; those of
/// a part (--decode-chunk-size) know nothing of others.
class SvdVae final : public VideoVae {
  public:
    /// The scope has no prefix.
    SvdVae(const weights::WeightScope& scope, SvdVaeConfig config, SvdVaeOptions options = {});
    /// Without weights, for what it says of shapes and bytes.
    static std::unique_ptr<SvdVae> described(const SvdVaeConfig& config, const VaeComputing& computing,
                                             VaeParts parts = VaeParts::Both);

    [[nodiscard]] VaeShape shape() const override;
    [[nodiscard]] Tiling tilingOf(std::int64_t tilePixels) const override {
        return Tiling::ofEdge(tilePixels, m_config.image.spatialFactor());
    }
    /// Frame by frame.
    [[nodiscard]] LatentMoments encode(const at::Tensor& x_CTHW, const FrameProgress& progress = {},
                                       std::stop_token stop = {}) const override;
    void decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop = {}) const override;
    /// In tiles norms and attention see their tile alone: the result differs not at seams alone.
    [[nodiscard]] LatentMoments encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                            const FrameProgress& progress = {},
                                            std::stop_token stop = {}) const override;
    [[nodiscard]] at::Tensor decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                         const FrameProgress& progress = {},
                                         std::stop_token stop = {}) const override;

    /// z times the config's scalingFactor.
    [[nodiscard]] at::Tensor normalised(const at::Tensor& z_CTHW) const override {
        return z_CTHW * m_config.image.scalingFactor;
    }
    [[nodiscard]] at::Tensor denormalised(const at::Tensor& z_CTHW) const override {
        return z_CTHW / m_config.image.scalingFactor;
    }

    [[nodiscard]] std::uint64_t bytesToEncode(const ClipSize& clip,
                                              const std::optional<Tiling>& tiling = {}) const override;
    [[nodiscard]] std::uint64_t bytesToDecode(const ClipSize& clip,
                                              const std::optional<Tiling>& tiling = {}) const override;
    [[nodiscard]] std::uint64_t weightBytes() const override;
    /// What layers take of the frames that go through together: one is encoded at a time, all are decoded at
    /// once.
    [[nodiscard]] PictureMemory layersToEncode(const ClipSize& clip) const;
    [[nodiscard]] PictureMemory layersToDecode(const ClipSize& clip) const;

    [[nodiscard]] const SvdVaeConfig& config() const { return m_config; }

  private:
    void requireClip(const at::Tensor& x_CTHW) const;
    void requireLatents(const at::Tensor& z_CTHW) const;
    /// x_CTHW, a clip or a window of it → mean and logvar [T, H', W', 2z], fp32.
    [[nodiscard]] at::Tensor momentsOf(const at::Tensor& x_CTHW, const FrameProgress& progress,
                                       const std::stop_token& stop) const;
    /// z_CTHW, latents of a clip or of a window → [T, H, W, 3], fp32, not clamped.
    [[nodiscard]] at::Tensor framesOf(const at::Tensor& z_CTHW, const std::stop_token& stop) const;

    SvdVaeConfig m_config;
    VaeParts m_parts;
    bool m_isDescription = false;  ///< it has no weights
    at::TensorOptions m_tensorOptions, m_encoderOptions;
    std::optional<image::Encoder> m_encoder;
    std::optional<TemporalDecoder> m_decoder;
};

}  // namespace reelgrid::vae::svd
