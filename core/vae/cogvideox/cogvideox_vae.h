#pragma once

// Shape legend: C channels (3, or z of a latent), T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <functional>
#include <optional>
#include <stop_token>

#include "core/vae/cogvideox/cogvideox_vae_config.h"
#include "core/vae/cogvideox/decoder.h"
#include "core/vae/cogvideox/encoder.h"
#include "core/vae/tiling.h"

namespace reelgrid::vae::cogvideox {

/// The posterior of a clip's latents, fp32 [z, T', H', W']; logvar within [−30, 20].
struct LatentMoments {
    at::Tensor mean_CTHW, logvar_CTHW;
};

/// Frames finished so far, of how many (in tiles: of all tiles).
using FrameProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Takes frames [T, H, W, 3] as they are decoded: fp32, contiguous, RGB within [−1, 1].
using FrameSink = std::function<void(const at::Tensor& frames_THWC)>;

/// Which direction to load: making pictures of latents needs no encoder.
enum class CogVideoXVaeParts { Both, Encoder, Decoder };

struct CogVideoXVaeOptions {
    CogVideoXVaeParts parts = CogVideoXVaeParts::Both;
    ConvEngine engine = ConvEngine::Fastest;
};

/// The causal 3-D autoencoder of CogVideoX (AutoencoderKLCogVideoX of diffusers), in the dtype and on the
/// device of the weight scope. A clip passes two latent frames (eight frames) at a time, so memory doesn't
/// grow with its length; as the norms see such a batch at once, the cut is part of the model. Not changed by
/// use: one instance may serve several threads.
///
/// Latents are the encoder's own: what a transformer works on is times the config's scalingFactor.
/// Everything throws Failure: InvalidData for shapes it can't take, Internal without its part, Cancelled once
/// `stop` was requested (seen within one layer).
class CogVideoXVae {
  public:
    CogVideoXVae(const weights::WeightScope& scope, CogVideoXVaeConfig config,
                 CogVideoXVaeOptions options = {});

    /// x_CTHW [3, T, H, W] within [−1, 1], H and W multiples of the spatial factor; any T (the model was
    /// trained with 1, 8n and 8n + 1).
    [[nodiscard]] LatentMoments encode(const at::Tensor& x_CTHW, const FrameProgress& progress = {},
                                       std::stop_token stop = {}) const;

    /// z_CTHW [z, T, H, W] → fp32 [config().frameCount(T), s·H, s·W, 3] within [−1, 1], handed out as they
    /// are made.
    void decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink, std::stop_token stop = {}) const;

    /// The same in tiles (tiling.h; the model's own are config().tiling()), each of which goes through time
    /// on its own: memory for the activations of one tile. The result differs from that of the whole, and not
    /// at seams alone: norms see their tile alone.
    [[nodiscard]] LatentMoments encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                            const FrameProgress& progress = {},
                                            std::stop_token stop = {}) const;
    /// [T, H, W, 3], all at once.
    [[nodiscard]] at::Tensor decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                         const FrameProgress& progress = {}, std::stop_token stop = {}) const;

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

    CogVideoXVaeConfig m_config;
    at::TensorOptions m_tensorOptions;
    std::optional<Encoder> m_encoder;
    std::optional<Decoder> m_decoder;
};

}  // namespace reelgrid::vae::cogvideox
