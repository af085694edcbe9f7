#pragma once

// The ways around a level of Wan 2.2's autoencoder, which has no weights: what a level halves or doubles is
// halved or doubled beside it, too, and added.

#include <ATen/ATen.h>

#include <cstdint>

namespace reelgrid::vae::wan21 {

/// By how much a level changes pictures.
struct LevelFactors {
    std::int64_t time = 1, space = 1;
    [[nodiscard]] std::int64_t volume() const { return time * space * space; }
};

/// Neighbours in time and space become channels, and groups of channels their mean (AvgDown3D of diffusers).
class MeanShortcut {
  public:
    /// Throws Failure(InvalidData) unless in · volume is a multiple of out.
    MeanShortcut(std::int64_t in, std::int64_t out, LevelFactors factors);
    /// [T, H, W, in] → [⌈T / time⌉, H / space, W / space, out]; frames that are missing, before the first,
    /// are zeros.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC) const;

  private:
    std::int64_t m_out;
    LevelFactors m_factors;
};

/// Channels are repeated, and become neighbours in time and space (DupUp3D of diffusers).
class RepeatShortcut {
  public:
    /// Throws Failure(InvalidData) unless out · volume is a multiple of in.
    RepeatShortcut(std::int64_t in, std::int64_t out, LevelFactors factors, at::Device device);
    enum class Chunk { First, Later };
    /// [T, H, W, in] → [T · time, H · space, W · space, out]; the first chunk's frame stays one frame.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, Chunk chunk) const;

  private:
    std::int64_t m_out;
    LevelFactors m_factors;
    at::Tensor m_source;  ///< the channel that each one of out · volume repeats
};

/// Squares of pixels as channels, as the first convolution takes them, and back.
at::Tensor patchesOf(const at::Tensor& x_THWC, std::int64_t edge);
at::Tensor pixelsOf(const at::Tensor& x_THWC, std::int64_t edge);

}  // namespace reelgrid::vae::wan21
