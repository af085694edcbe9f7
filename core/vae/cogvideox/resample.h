#pragma once

#include <ATen/ATen.h>

#include <optional>

#include "core/vae/cogvideox/batch_memory.h"
#include "core/vae/gpu_conv.h"
#include "core/vae/layer_source.h"
#include "core/vae/winograd_conv.h"

namespace reelgrid::vae::cogvideox {

enum class ResampleAxes { Space, SpaceAndTime };

/// Doubles height and width (nearest, then a 3×3 convolution of each frame) and, with time, makes two equal
/// frames of every one; where there is an odd number of them, the first stays one (CogVideoXUpsample3D of
/// diffusers, which convolves both of the two).
class Upsample {
  public:
    Upsample(const LayerSource& source, std::int64_t channels, ResampleAxes axes);
    /// [T, H, W, C], contiguous.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC) const;
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, BatchMemory& memory) const;

  private:
    [[nodiscard]] at::Tensor doubleSize(const at::Tensor& x_THWC) const;

    ResampleAxes m_axes;
    std::optional<GpuConv> m_gpu;
    std::optional<WinogradConv> m_winograd;  ///< where there is neither, libtorch with the two below
    at::Tensor m_weight_OCHW, m_bias_O;
};

/// Halves height and width (3×3 convolution of stride 2, padded below and right) and, with time before it,
/// makes the mean of every two frames; of an odd number of them the first stays (CogVideoXDownsample3D).
class Downsample {
  public:
    Downsample(const LayerSource& source, std::int64_t channels, ResampleAxes axes);
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC) const;
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, BatchMemory& memory) const;

  private:
    ResampleAxes m_axes;
    std::optional<GpuConv> m_gpu;  ///< else libtorch with the two below
    at::Tensor m_weight_OCHW, m_bias_O;
};

}  // namespace reelgrid::vae::cogvideox
