#pragma once

#include <optional>

#include "core/vae/gpu_conv.h"
#include "core/vae/wan21/chunk_memory.h"
#include "core/vae/wan21/feature_cache.h"
#include "core/vae/wan21/time_conv.h"
#include "core/vae/winograd_conv.h"

namespace reelgrid::vae::wan21 {

enum class ResampleAxes { Space, SpaceAndTime };

/// Doubles height and width (nearest, then a 3×3 convolution) and, with time, makes two frames of every frame
/// but the clip's first.
class Upsample {
  public:
    Upsample(const LayerSource& source, std::int64_t in, std::int64_t out, ResampleAxes axes);
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, FeatureCache& cache) const;
    /// What comes out of chunks but a clip's first.
    [[nodiscard]] Activations outputOf(const Activations& x, const ChunkMemory& memory) const;
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, ChunkMemory& memory) const;

  private:
    [[nodiscard]] bool doublesFrames(const ChunkMemory& memory) const {
        return m_timeConv && !memory.isOneFrame();
    }
    [[nodiscard]] at::Tensor doubleFrames(const at::Tensor& x_THWC, at::Tensor& slot) const;
    [[nodiscard]] at::Tensor doubleSize(const at::Tensor& x_THWC) const;

    std::optional<GpuConv> m_gpu;
    std::optional<WinogradConv> m_winograd;  ///< where there is neither, libtorch with the two below
    at::Tensor m_weight_OCHW, m_bias_O;
    std::optional<TimeConv> m_timeConv;
};

/// Halves height and width (3×3 convolution of stride 2, padded below and right) and, with time, makes one
/// frame of every two after the clip's first.
class Downsample {
  public:
    Downsample(const LayerSource& source, std::int64_t channels, ResampleAxes axes);
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, FeatureCache& cache) const;
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, ChunkMemory& memory) const;

  private:
    [[nodiscard]] at::Tensor halveFrames(const at::Tensor& x_THWC, at::Tensor& slot) const;

    std::optional<GpuConv> m_gpu;  ///< else libtorch with the two below
    at::Tensor m_weight_OCHW, m_bias_O;
    std::optional<TimeConv> m_timeConv;
};

}  // namespace reelgrid::vae::wan21
