#pragma once

// Shape legend: C channels (3, or z of a latent), T frames, H rows, W columns.

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/vae/tiling.h"

namespace reelgrid::vae {

/// A clip of pixels.
struct ClipSize {
    std::int64_t frames = 0, height = 0, width = 0;
};

/// What an autoencoder makes of a clip's shape.
struct VaeShape {
    std::int64_t zDim = 1, spatialFactor = 1, temporalFactor = 1;
    /// Clips of 1 + n · frameStep frames are decoded to as many frames as were encoded.
    std::int64_t frameStep = 1;
};

/// Which direction is loaded: making pictures of latents needs no encoder.
enum class VaeParts { Both, Encoder, Decoder };

/// What an autoencoder computes in, and where.
struct VaeComputing {
    at::ScalarType dtype = at::kFloat;
    at::Device device = at::kCPU;
};

/// The posterior of a clip's latents, fp32 [z, T', H', W']; logvar within [−30, 20].
struct LatentMoments {
    at::Tensor mean_CTHW, logvar_CTHW;
};

/// Frames finished so far, of how many (in tiles: of all tiles).
using FrameProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Takes frames [T, H, W, 3] as they are decoded: fp32, contiguous, RGB within [−1, 1].
using FrameSink = std::function<void(const at::Tensor& frames_THWC)>;

/// The autoencoder of a model's clips, loaded or as its configuration describes it. Not changed by use: one
/// instance may serve several threads.
///
/// Both directions throw Failure: InvalidData for shapes they can't take, Internal without their part,
/// Cancelled once `stop` was requested (seen within one layer).
class VideoVae {
  public:
    virtual ~VideoVae() = default;

    [[nodiscard]] virtual VaeShape shape() const = 0;
    /// Tiles of that height, as the model's reference cuts them.
    [[nodiscard]] virtual Tiling tilingOf(std::int64_t tilePixels) const = 0;

    /// x_CTHW [3, T, H, W] within [−1, 1], H and W multiples of the spatial factor.
    [[nodiscard]] virtual LatentMoments encode(const at::Tensor& x_CTHW, const FrameProgress& progress = {},
                                               std::stop_token stop = {}) const = 0;
    /// z_CTHW [z, T, H, W], the encoder's own latents → the frames, handed out as they are made.
    virtual void decodeTo(const at::Tensor& z_CTHW, const FrameSink& sink,
                          std::stop_token stop = {}) const = 0;

    /// The same in tiles (tiling.h), each of which goes through time on its own: memory for the activations
    /// of one tile. The result differs from that of the whole.
    [[nodiscard]] virtual LatentMoments encodeTiled(const at::Tensor& x_CTHW, const Tiling& tiling,
                                                    const FrameProgress& progress = {},
                                                    std::stop_token stop = {}) const = 0;
    /// [T, H, W, 3] as a FrameSink takes them, all at once.
    [[nodiscard]] virtual at::Tensor decodeTiled(const at::Tensor& z_CTHW, const Tiling& tiling,
                                                 const FrameProgress& progress = {},
                                                 std::stop_token stop = {}) const = 0;

    /// The encoder's latents as the model's network works on them, and back. fp32 [z, T, H, W].
    [[nodiscard]] virtual at::Tensor normalised(const at::Tensor& z_CTHW) const = 0;
    [[nodiscard]] virtual at::Tensor denormalised(const at::Tensor& z_CTHW) const = 0;

    /// About how many bytes a pass of the clip takes beside the weights at its fullest moment: its layers,
    /// what they remember, and the clip. In tiles: of one tile, and the clip in fp32.
    [[nodiscard]] virtual std::uint64_t bytesToEncode(const ClipSize& clip,
                                                      const std::optional<Tiling>& tiling = {}) const = 0;
    [[nodiscard]] virtual std::uint64_t bytesToDecode(const ClipSize& clip,
                                                      const std::optional<Tiling>& tiling = {}) const = 0;
    /// Of the weights as they are kept.
    [[nodiscard]] virtual std::uint64_t weightBytes() const = 0;
};

/// A clip of so many frames decoded whole: [T, H, W, 3].
at::Tensor decodedClip(const VideoVae& vae, const at::Tensor& z_CTHW, std::int64_t frames,
                       std::stop_token stop = {});

/// Throws Failure(InvalidData): "a clip to encode has shape [3, 4, 8, 8], needed …".
[[noreturn]] void refuseShape(const char* what, const at::Tensor& x, const std::string& needed);
/// Of what an encoder gives: mean and logvar [T, H, W, 2z].
LatentMoments momentsFrom(const at::Tensor& moments_THWC);

}  // namespace reelgrid::vae
