#pragma once

// Shape legend: C channels (3, or z of a latent), T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <memory>
#include <optional>
#include <stop_token>

#include "core/vae/point_conv.h"
#include "core/vae/video_vae.h"
#include "core/vae/wan21/decoder.h"
#include "core/vae/wan21/encoder.h"
#include "core/vae/wan21/wan_vae_config.h"

namespace reelgrid::vae::wan21 {

struct WanVaeOptions {
    VaeParts parts = VaeParts::Both;  ///< the encoder is 40 % of the memory
    ConvEngine engine = ConvEngine::Fastest;
    /// Latent frames decoded at a time after the first, or 0 for as many as keep the largest activation below
    /// 32 MB, on a GPU 320 MB (at least one). The result doesn't depend on it; memory does, and the time, as
    /// each chunk goes again over the two frames before it.
    std::int64_t latentFramesPerChunk = 0;
    /// When set, decoding adds the seconds of each part to it: one thread at a time then.
    FeatureCache::PartSeconds* partSeconds = nullptr;
};

/// The causal 3-D autoencoder of Wan 2.1, and Wan 2.2's (AutoencoderKLWan of diffusers), in the dtype and on
/// the device of the weight scope. A clip passes in chunks, so memory doesn't grow with its length. Clips to
/// encode have 1 + f·n frames; T latent frames become 1 + f·(T − 1) frames.
class WanVae final : public VideoVae {
  public:
    WanVae(const weights::WeightScope& scope, WanVaeConfig config, WanVaeOptions options = {});
    /// Without weights, for what it says of shapes and bytes.
    static std::unique_ptr<WanVae> described(const WanVaeConfig& config, const VaeComputing& computing,
                                             VaeParts parts = VaeParts::Both);

    [[nodiscard]] VaeShape shape() const override {
        const std::int64_t step = m_config.temporalFactor();
        return {m_config.zDim, m_config.spatialFactor(), step, step};
    }
    [[nodiscard]] Tiling tilingOf(std::int64_t tilePixels) const override {
        return Tiling::ofEdge(tilePixels, m_config.spatialFactor());
    }

    [[nodiscard]] LatentMoments encode(const at::Tensor& x_CTHW, const FrameProgress& progress = {},
                                       std::stop_token stop = {}) const override;
    void decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop = {}) const override;
    /// In tiles layers see no further than their tile, and the attention of the middle block compares within
    /// it alone: the result differs most at the seams.
    [[nodiscard]] LatentMoments encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                            const FrameProgress& progress = {},
                                            std::stop_token stop = {}) const override;
    [[nodiscard]] at::Tensor decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                         const FrameProgress& progress = {},
                                         std::stop_token stop = {}) const override;

    /// (z − mean) / std per channel.
    [[nodiscard]] at::Tensor normalised(const at::Tensor& z_CTHW) const override;
    [[nodiscard]] at::Tensor denormalised(const at::Tensor& z_CTHW) const override;

    [[nodiscard]] std::uint64_t bytesToEncode(const ClipSize& clip,
                                              const std::optional<Tiling>& tiling = {}) const override;
    [[nodiscard]] std::uint64_t bytesToDecode(const ClipSize& clip,
                                              const std::optional<Tiling>& tiling = {}) const override;
    /// On the CPU in fp32 transformed for Winograd's filtering, four times what is stored.
    [[nodiscard]] std::uint64_t weightBytes() const override;
    /// What layers take of a chunk of the whole clip.
    [[nodiscard]] ChunkMemory layersToEncode(const ClipSize& clip) const;
    [[nodiscard]] ChunkMemory layersToDecode(const ClipSize& clip) const;

    [[nodiscard]] const WanVaeConfig& config() const { return m_config; }
    /// Frames of a clip of that many latent frames.
    [[nodiscard]] std::int64_t frameCount(std::int64_t latentFrames) const {
        return 1 + m_config.temporalFactor() * (latentFrames - 1);
    }

  private:
    using FrameCount = std::function<void(std::int64_t frames)>;
    void requireClip(const at::Tensor& x_CTHW) const;
    void requireLatents(const at::Tensor& z_CTHW) const;
    /// x_CTHW, a clip or a window of it → mean and logvar [T', H', W', 2z], fp32; says how many frames are
    /// done.
    [[nodiscard]] at::Tensor momentsOf(const at::Tensor& x_CTHW, const FrameCount& done,
                                       std::stop_token stop) const;
    /// z_CTHW, the latents of a clip or of a window → frames as the decoder makes them, fp32, not clamped.
    void decodeChunks(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const;
    [[nodiscard]] std::int64_t latentFramesOfChunk(std::int64_t rows, std::int64_t columns) const;
    [[nodiscard]] ChunkMemory noMemory(const ClipSize& clip) const;

    WanVaeConfig m_config;
    WanVaeOptions m_options;
    bool m_isDescription = false;  ///< it has no weights
    at::TensorOptions m_tensorOptions;
    struct EncodingLayers {
        Encoder encoder;
        PointConv quantConv;
    };
    struct DecodingLayers {
        PointConv postQuantConv;
        Decoder decoder;
    };
    std::optional<EncodingLayers> m_encoding;
    std::optional<DecodingLayers> m_decoding;
    at::Tensor m_latentsMean, m_latentsStd;  ///< fp32 [z, 1, 1, 1]
};

}  // namespace reelgrid::vae::wan21
