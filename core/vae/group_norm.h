#pragma once

// Shape legend: N pictures, H rows, W columns, C channels.

#include <ATen/ATen.h>

#include <optional>

#include "core/vae/layer_source.h"
#include "kernels/cuda/library.h"

namespace reelgrid::vae {

/// x · scale + shift, a number a channel: fp32 [C].
struct ChannelMap {
    at::Tensor scale_C, shift_C;
};

/// A group norm of pictures: mean and variance of a group of channels over all pixels of a picture.
class GroupNorm {
  public:
    GroupNorm(const LayerSource& source, std::int64_t channels, std::int64_t groups, double eps);

    /// [N, H, W, C], contiguous; of the same shape and dtype. On a GPU one pass over memory behind the one
    /// for the sums.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_NHWC) const;
    /// silu of it: on the CPU in fp32 as many passes, too. With added_1C it is the norm of x + added_1C,
    /// which on a GPU costs nothing.
    [[nodiscard]] at::Tensor forwardSilu(const at::Tensor& x_NHWC, const at::Tensor& added_1C = {}) const;
    /// What it does with the pixels of one picture [1, H, W, C], on the CPU in fp32; nullopt elsewhere.
    [[nodiscard]] std::optional<ChannelMap> mapOf(const at::Tensor& x_1HWC) const;

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(m_weight_C);
        visit(m_bias_C);
        visit(m_kernelWeight_C);
        visit(m_kernelBias_C);
    }

  private:
    [[nodiscard]] ChannelMap mapOfPicture(const at::Tensor& x_HWC) const;
    [[nodiscard]] bool usesKernels(const at::Tensor& x_NHWC) const;
    [[nodiscard]] bool usesGpuKernel(const at::Tensor& x_NHWC) const;
    [[nodiscard]] at::Tensor onGpu(const at::Tensor& x_NHWC, kernels::cuda::Activation activation,
                                   const at::Tensor& added_1C) const;

    std::int64_t m_groups;
    double m_eps;
    ConvEngine m_engine;
    at::Tensor m_weight_C, m_bias_C;              ///< in the model's dtype
    at::Tensor m_kernelWeight_C, m_kernelBias_C;  ///< fp64
};

}  // namespace reelgrid::vae
