#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "core/vae/gpu_conv.h"
#include "core/vae/layer_source.h"

namespace reelgrid::vae::wan21 {

/// A convolution over three frames of one pixel (3×1×1 in the checkpoint): one matrix product a tap, on a GPU
/// cuDNN's.
class TimeConv {
  public:
    TimeConv(const LayerSource& source, std::int64_t in, std::int64_t out);

    /// frames_THWC [2 + stride·(N−1) + 1, H, W, C] → [N, H, W, O].
    [[nodiscard]] at::Tensor forward(const at::Tensor& frames_THWC, std::int64_t stride = 1) const;

    /// On the CPU: frames_THWC [2 + stride·(N−1) + 1 or more, H, W, C] → out channels [first, first +
    /// out_NHWC's channels) of the N frames of out_NHWC (any stride between frames). Frame n looks at frames
    /// stride·n … stride·n + 2.
    void forwardInto(const at::Tensor& out_NHWO, const at::Tensor& frames_THWC, std::int64_t stride,
                     std::int64_t firstChannel) const;

  private:
    std::vector<at::Tensor> m_taps_CO;  ///< one [C, O] a tap
    at::Tensor m_bias_O;
    std::optional<GpuConv> m_gpu;
};

}  // namespace reelgrid::vae::wan21
