#pragma once

// Shape legend: T frames, H rows, W columns, C channels in, O channels out.

#include <ATen/ATen.h>

#include "core/execution/kernel_arguments.h"
#include "core/vae/layer_source.h"
#include "kernels/cuda/library.h"

namespace reelgrid::vae {

/// A convolution on an NVIDIA GPU: cuDNN's, channels last, without its bias, which goes on with the residual
/// in one pass of our own (kernels/cuda/library.h). Deterministic: cuDNN chooses by its own heuristics among
/// algorithms that give the same bits each time.
class GpuConv {
  public:
    static bool takes(const at::Tensor& weight) { return execution::hasCudaKernels(weight); }

    /// weight [O, C, t, h, w] or [O, C, h, w] in the model's dtype, bias_O likewise.
    GpuConv(const at::Tensor& weight, const at::Tensor& bias_O);

    struct Steps {
        std::int64_t padding = 0;      ///< zero rows and columns around each frame
        std::int64_t rowPadding = -1;  ///< of rows alone, where it isn't negative: no zero columns then
        std::int64_t stride = 1;       ///< in rows and columns
        std::int64_t timeStride = 1;
    };
    /// x_THWC contiguous → [T', H', W', O], without padding in time. A residual of the output's shape is
    /// added.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, const Steps& steps,
                                     const at::Tensor& residual_THWO = {}) const;
    /// Without bias.
    [[nodiscard]] at::Tensor product(const at::Tensor& x_THWC, const Steps& steps) const;

    /// Calls visit(tensor) for each that a pass reads.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(m_weight);
        visit(m_bias_O);
    }

  private:
    at::Tensor m_weight, m_bias_O;
};

/// out = activation(x / ‖x‖ scale) over the channels of each pixel, on a GPU, into `out_THWC`, which is
/// contiguous, of x's shape and dtype. False where x is elsewhere or the kernel does not take its channels.
bool normOnGpu(const at::Tensor& x_THWC, const at::Tensor& scale_C, kernels::cuda::Activation activation,
               at::Tensor out_THWC);

}  // namespace reelgrid::vae
