#pragma once

// Shape legend: P pixels, H rows, W columns, C channels; h and w cells, each of H/h × W/w pixels.

#include <ATen/ATen.h>

namespace reelgrid::vae {

/// Of each channel over pixels, fp64 [C].
struct ChannelMoments {
    at::Tensor mean_C, variance_C;
};

/// What a group norm does with pixels, by our own kernels: fp32 on a CPU with AVX2 or AVX-512
/// (kernels/cpu/vae/vae_norm.h), any dtype on an NVIDIA GPU; channels in multiples of 8, contiguous. The same
/// bits in every run.
class NormKernels {
  public:
    static bool takes(const at::Tensor& x);

    static ChannelMoments moments(const at::Tensor& x_PC);
    /// out = silu(x · scale + shift), the cells spread over the pixels.
    static void activate(const at::Tensor& out_HWC, const at::Tensor& x_HWC, const at::Tensor& scale_hwC,
                         const at::Tensor& shift_hwC);
};

}  // namespace reelgrid::vae
