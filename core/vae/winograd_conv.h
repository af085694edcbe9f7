#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae {

/// The 3×3 (×3 in time) convolution of kernels/cpu/vae/vae_conv.h on tensors: fp32 on the CPU, any number of
/// channels (padded to multiples of 8 inside).
class WinogradConv {
  public:
    /// Whether this weight can be used: fp32, on a CPU that has the kernels.
    static bool takes(const at::Tensor& weight_OCTHW);

    /// weight_OCTHW [O, C, 1 or 3, 3, 3], bias_O [O].
    WinogradConv(const at::Tensor& weight_OCTHW, const at::Tensor& bias_O);

    struct Call {
        at::Tensor history_NHWC;  ///< up to two frames before x; undefined, or missing ones, are zeros
        at::Tensor x_THWC;        ///< contiguous
        kernels::VaeConvInput input = kernels::VaeConvInput::Same;
        at::Tensor normScale_C;  ///< see VaeConv::normScale; undefined: no activation
        /// Added to the output, which may take its memory: not to be used afterwards. Undefined: none.
        at::Tensor residual_THWO;
    };
    [[nodiscard]] at::Tensor forward(const Call& call) const;

    /// Calls visit(tensor) for each that a pass reads.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(m_packed);
        visit(m_bias_O);
    }

  private:
    std::int64_t m_in, m_out, m_taps;
    int m_lanes;
    at::Tensor m_packed, m_bias_O;
};

}  // namespace reelgrid::vae
