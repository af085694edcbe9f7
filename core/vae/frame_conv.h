#pragma once

// Shape legend: T frames, H rows, W columns, C channels in, O channels out.

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "core/vae/gpu_conv.h"
#include "core/vae/group_norm.h"
#include "core/vae/layer_source.h"

namespace reelgrid::vae {

/// A convolution over a pixel's values in three neighbouring frames (3×1×1 in the checkpoint), zeros before
/// the first frame and behind the last one: our own kernel (kernels/cpu/vae/frame_conv.h) or matrix products,
/// on a GPU cuDNN's.
class FrameConv {
  public:
    /// Weight and bias times `factor`.
    FrameConv(const LayerSource& source, std::int64_t in, std::int64_t out, double factor = 1);

    /// x_THWC contiguous → [T, H, W, O]. A residual of the output's shape is added, whose memory the output
    /// takes: not to be used afterwards.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, const at::Tensor& residual_THWO = {}) const;
    /// The same of silu(norm(x)), the norm's groups reaching over all frames, and with added_1O at each
    /// pixel where it is defined: with our own kernel one pass over memory behind the norm's sums.
    [[nodiscard]] at::Tensor forwardNormed(const GroupNorm& norm, const at::Tensor& x_THWC,
                                           const at::Tensor& added_1O = {},
                                           const at::Tensor& residual_THWO = {}) const;

    /// Without bias, for a norm behind it that adds bias_1O() while it reads: where isOnGpu().
    [[nodiscard]] at::Tensor product(const at::Tensor& x_THWC) const;
    [[nodiscard]] at::Tensor bias_1O() const { return m_bias_O.unsqueeze(0); }
    /// Whether cuDNN computes it: then a product alone saves a pass over memory, and a residual stays as it
    /// is.
    [[nodiscard]] bool isOnGpu() const { return m_gpu.has_value(); }

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        if (m_gpu) m_gpu->eachTensor(visit);
        visit(m_packed);
        for (at::Tensor& tap_CO : m_taps_CO) visit(tap_CO);
        visit(m_joined_OX);
        visit(m_bias_O);
    }

  private:
    [[nodiscard]] at::Tensor onGpu(const at::Tensor& x_THWC, const at::Tensor& residual_THWO) const;
    [[nodiscard]] at::Tensor fused(const at::Tensor& x_THWC, const std::optional<ChannelMap>& map,
                                   const at::Tensor& bias_O, const at::Tensor& residual_THWO) const;
    [[nodiscard]] at::Tensor sumOfTaps(const at::Tensor& x_THWC, at::Tensor sum_THWO) const;

    std::optional<GpuConv> m_gpu;
    int m_lanes = 0;                    ///< of our own kernel; 0: it doesn't take this convolution
    at::Tensor m_packed;                ///< its weights
    std::vector<at::Tensor> m_taps_CO;  ///< of fp32 on the CPU, one a tap
    at::Tensor m_joined_OX;             ///< of 16 bit there, X = 3C: rounded once
    at::Tensor m_bias_O;
};

}  // namespace reelgrid::vae
