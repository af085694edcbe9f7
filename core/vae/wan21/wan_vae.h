#pragma once

// Shape legend: B clips, C channels (3, or z of a latent), T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <functional>
#include <optional>
#include <stop_token>

#include "core/vae/point_conv.h"
#include "core/vae/tiling.h"
#include "core/vae/wan21/decoder.h"
#include "core/vae/wan21/encoder.h"
#include "core/vae/wan21/wan_vae_config.h"

namespace reelgrid::vae::wan21 {

/// The posterior of the latents, fp32 [B, z, T', H', W']; logvar within [−30, 20].
struct LatentMoments {
    at::Tensor mean_BCTHW, logvar_BCTHW;
};

/// Frames finished so far, of how many (all clips of the batch; in tiles, all tiles).
using FrameProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Takes frames [T, H, W, 3] as they are decoded: fp32, contiguous, RGB within [−1, 1].
using FrameSink = std::function<void(const at::Tensor& frames_THWC)>;

/// Which direction to load: making pictures of latents needs no encoder, which is 40 % of the memory.
enum class WanVaeParts { Both, Encoder, Decoder };

struct WanVaeOptions {
    WanVaeParts parts = WanVaeParts::Both;
    ConvEngine engine = ConvEngine::Fastest;
    /// Latent frames decoded at a time after the first, or 0 for as many as keep the largest activation below
    /// 32 MB, on a GPU 320 MB (at least one). The result doesn't depend on it; memory does, and the time, as
    /// each chunk goes again over the two frames before it.
    std::int64_t latentFramesPerChunk = 0;
    /// When set, decoding adds the seconds of each part to it: one thread at a time then.
    FeatureCache::PartSeconds* partSeconds = nullptr;
};

/// The usual number of latent frames that are decoded at a time, of so many latent rows and columns.
std::int64_t latentFramesPerChunk(const WanVaeConfig& config, std::int64_t rows, std::int64_t columns,
                                  at::ScalarType dtype, at::Device device);

/// The causal 3-D autoencoder of Wan 2.1, and Wan 2.2's (AutoencoderKLWan of diffusers), in the dtype and on
/// the device of the weight scope. A clip passes in chunks, so memory doesn't grow with its length. Not
/// changed by use: one instance may serve several threads.
///
/// Both directions throw Failure: InvalidData for shapes they can't take, Internal without their part,
/// Cancelled once `stop` was requested (seen within one layer).
class WanVae {
  public:
    WanVae(const weights::WeightScope& scope, WanVaeConfig config, WanVaeOptions options = {});

    /// x_BCTHW [B, 3, 1 + f·n, H, W] within [−1, 1], H and W multiples of the spatial factor.
    [[nodiscard]] LatentMoments encode(const at::Tensor& x_BCTHW, const FrameProgress& progress = {},
                                       std::stop_token stop = {}) const;

    /// z_BCTHW [B, z, T, H, W] as the encoder makes them (see denormalised) → fp32 [B, 3, 1 + f·(T − 1), s·H,
    /// s·W] within [−1, 1].
    [[nodiscard]] at::Tensor decode(const at::Tensor& z_BCTHW, const FrameProgress& progress = {},
                                    std::stop_token stop = {}) const;

    /// The same for one clip z_CTHW, handing out the frames of each chunk instead of holding them all.
    void decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop = {}) const;

    /// The same in tiles (tiling.h), each of which goes through time on its own: memory for the activations
    /// of one tile. The result differs from that of the whole, most at the seams: layers see no further than
    /// their tile, and the attention of the middle block compares within it alone.
    [[nodiscard]] LatentMoments encodeTiled(const at::Tensor& x_BCTHW, const Tiling& tiling,
                                            const FrameProgress& progress = {},
                                            std::stop_token stop = {}) const;
    /// One clip z_CTHW → fp32 [T, H, W, 3] within [−1, 1].
    [[nodiscard]] at::Tensor decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                         const FrameProgress& progress = {}, std::stop_token stop = {}) const;

    /// Latents as the transformer works on them, (z − mean) / std per channel, and back. [B, z, …], fp32.
    [[nodiscard]] at::Tensor normalised(const at::Tensor& z_BCTHW) const;
    [[nodiscard]] at::Tensor denormalised(const at::Tensor& z_BCTHW) const;

    [[nodiscard]] const WanVaeConfig& config() const { return m_config; }
    /// Frames of a clip of that many latent frames.
    [[nodiscard]] std::int64_t frameCount(std::int64_t latentFrames) const {
        return 1 + m_config.temporalFactor() * (latentFrames - 1);
    }

  private:
    using FrameCount = std::function<void(std::int64_t frames)>;
    void requireClip(const at::Tensor& x_BCTHW) const;
    void requireLatents(const at::Tensor& z_CTHW) const;
    /// x_CTHW, a clip or a window of it → mean and logvar [T', H', W', 2z], fp32; says how many frames are
    /// done.
    [[nodiscard]] at::Tensor momentsOf(const at::Tensor& x_CTHW, const FrameCount& done,
                                       std::stop_token stop) const;
    /// z_CTHW, the latents of a clip or of a window → frames as the decoder makes them, fp32, not clamped.
    void decodeChunks(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop) const;
    [[nodiscard]] std::int64_t decodeChunk(const at::Tensor& z_CTHW) const;

    WanVaeConfig m_config;
    WanVaeOptions m_options;
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
    at::Tensor m_latentsMean, m_latentsStd;  ///< fp32 [1, z, 1, 1, 1]
};

}  // namespace reelgrid::vae::wan21
