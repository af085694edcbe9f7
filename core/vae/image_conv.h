#pragma once

// Shape legend: N pictures, H rows, W columns, C channels in, O channels out.

#include <ATen/ATen.h>

#include <optional>

#include "core/vae/gpu_conv.h"
#include "core/vae/layer_source.h"
#include "core/vae/winograd_conv.h"

namespace reelgrid::vae {

/// A 3×3 convolution of pictures, zero-padded by one pixel: our CPU kernels, cuDNN or libtorch, as the engine
/// says.
class ImageConv {
  public:
    ImageConv(const LayerSource& source, std::int64_t in, std::int64_t out);

    /// [N, H, W, C], contiguous → [N, H, W, O]. A residual of the output's shape is added, whose memory the
    /// output may take: not to be used afterwards.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_NHWC, const at::Tensor& residual_NHWO = {}) const;
    /// Without bias, for a norm behind it that adds bias_1O() while it reads: where isOnGpu().
    [[nodiscard]] at::Tensor product(const at::Tensor& x_NHWC) const;
    [[nodiscard]] at::Tensor bias_1O() const { return m_bias_O.unsqueeze(0); }
    /// Whether cuDNN computes it: then a product alone saves a pass over memory, and a residual stays as it
    /// is.
    [[nodiscard]] bool isOnGpu() const { return m_gpu.has_value(); }
    /// The same of pictures with every pixel doubled both ways: [N, 2H, 2W, O].
    [[nodiscard]] at::Tensor forwardDoubled(const at::Tensor& x_NHWC) const;

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        if (m_gpu) m_gpu->eachTensor(visit);
        if (m_winograd) m_winograd->eachTensor(visit);
        visit(m_weight_OCHW);
        visit(m_bias_O);
    }

  private:
    std::optional<GpuConv> m_gpu;
    std::optional<WinogradConv> m_winograd;  ///< where there is neither, libtorch with the two below
    at::Tensor m_weight_OCHW, m_bias_O;
};

/// A 3×3 convolution that halves pictures.
class HalvingConv {
  public:
    /// Where the zeros go around pictures: a pixel everywhere (a UNet's), or one below and to the right (an
    /// autoencoder's, whose sizes are even).
    enum class Zeros { Around, BelowAndRight };

    HalvingConv(const LayerSource& source, std::int64_t channels, Zeros zeros);

    /// [N, H, W, C] → [N, ⌈H/2⌉, ⌈W/2⌉, C].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_NHWC) const;

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        if (m_gpu) m_gpu->eachTensor(visit);
        visit(m_weight_OCHW);
        visit(m_bias_O);
    }

  private:
    Zeros m_zeros;
    std::optional<GpuConv> m_gpu;
    at::Tensor m_weight_OCHW, m_bias_O;
};

}  // namespace reelgrid::vae
