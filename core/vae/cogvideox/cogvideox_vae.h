#pragma once

// Shape legend: C channels (3, or z of a latent), T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/vae/cogvideox/cogvideox_vae_config.h"
#include "core/vae/cogvideox/decoder.h"
#include "core/vae/cogvideox/encoder.h"
#include "core/vae/video_vae.h"

namespace reelgrid::vae::cogvideox {

struct CogVideoXVaeOptions {
    VaeParts parts = VaeParts::Both;
    ConvEngine engine = ConvEngine::Fastest;
};

/// The causal 3-D autoencoder of CogVideoX (AutoencoderKLCogVideoX of diffusers), in the dtype and on the
/// device of the weight scope. A clip passes two latent frames (eight frames) at a time, so memory doesn't
/// grow with its length; as the norms see such a batch at once, the cut is part of the model. Clips to encode
/// may have any number of frames (the model was trained with 1, 8n and 8n + 1); T latent frames become
/// config().frameCount(T).
class CogVideoXVae final : public VideoVae {
  public:
    CogVideoXVae(const weights::WeightScope& scope, CogVideoXVaeConfig config,
                 CogVideoXVaeOptions options = {});
    /// Without weights, for what it says of shapes and bytes.
    static std::unique_ptr<CogVideoXVae> described(const CogVideoXVaeConfig& config,
                                                   const VaeComputing& computing,
                                                   VaeParts parts = VaeParts::Both);

    [[nodiscard]] VaeShape shape() const override;
    [[nodiscard]] Tiling tilingOf(std::int64_t tilePixels) const override {
        return m_config.tilingOf(tilePixels);
    }

    [[nodiscard]] LatentMoments encode(const at::Tensor& x_CTHW, const FrameProgress& progress = {},
                                       std::stop_token stop = {}) const override;
    void decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop = {}) const override;
    /// In tiles norms see their tile alone: the result differs not at seams alone.
    [[nodiscard]] LatentMoments encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                            const FrameProgress& progress = {},
                                            std::stop_token stop = {}) const override;
    [[nodiscard]] at::Tensor decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                         const FrameProgress& progress = {},
                                         std::stop_token stop = {}) const override;

    /// z times the config's scalingFactor.
    [[nodiscard]] at::Tensor normalised(const at::Tensor& z_CTHW) const override {
        return z_CTHW * m_config.scalingFactor;
    }
    [[nodiscard]] at::Tensor denormalised(const at::Tensor& z_CTHW) const override {
        return z_CTHW / m_config.scalingFactor;
    }

    [[nodiscard]] std::uint64_t bytesToEncode(const ClipSize& clip,
                                              const std::optional<Tiling>& tiling = {}) const override;
    [[nodiscard]] std::uint64_t bytesToDecode(const ClipSize& clip,
                                              const std::optional<Tiling>& tiling = {}) const override;
    /// The CPU's kernels have theirs transformed (kernels/cpu/vae).
    [[nodiscard]] std::uint64_t weightBytes() const override;
    /// What layers take of the batches of a clip.
    [[nodiscard]] BatchMemory layersToEncode(const ClipSize& clip) const;
    [[nodiscard]] BatchMemory layersToDecode(const ClipSize& clip) const;

    [[nodiscard]] const CogVideoXVaeConfig& config() const { return m_config; }

  private:
    using FrameCount = std::function<void(std::int64_t frames)>;
    void requireClip(const at::Tensor& x_CTHW) const;
    void requireLatents(const at::Tensor& z_CTHW) const;
    /// x_CTHW, a clip or a window of it → mean and logvar [T', H', W', 2z], fp32; says how many frames are
    /// done.
    [[nodiscard]] at::Tensor momentsOf(const at::Tensor& x_CTHW, const FrameCount& done,
                                       std::stop_token stop) const;
    /// z_CTHW, the latents of a clip or of a window → frames as the decoder makes them, fp32, not clamped.
    void decodeBatches(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const;

    [[nodiscard]] BatchMemory noMemory() const;

    CogVideoXVaeConfig m_config;
    VaeParts m_parts;
    bool m_isDescription = false;  ///< it has no weights
    at::TensorOptions m_tensorOptions;
    std::optional<Encoder> m_encoder;
    std::optional<Decoder> m_decoder;
};

}  // namespace reelgrid::vae::cogvideox
