#pragma once

#include <ATen/ATen.h>

#include "core/vae/layer_source.h"

namespace reelgrid::vae::wan21 {

/// x / max(‖x‖₂, 1e-12) · √C · γ over the channels of each pixel, computed in fp32 whatever the dtype
/// (WanRMS_norm of diffusers).
class RmsNorm {
  public:
    enum class Of { Video, Image };  ///< the checkpoint shapes γ as [C,1,1,1] or [C,1,1]

    RmsNorm(const LayerSource& source, std::int64_t channels, Of of);

    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC) const;
    /// silu(forward(x)).
    [[nodiscard]] at::Tensor forwardSilu(const at::Tensor& x_THWC) const;

    /// The same into contiguous memory of x's shape and dtype.
    void forwardSiluInto(at::Tensor out_THWC, const at::Tensor& x_THWC) const;

    /// √C · γ, fp32 [C].
    [[nodiscard]] const at::Tensor& scale() const { return m_scale_C; }

  private:
    at::Tensor m_scale_C;
};

}  // namespace reelgrid::vae::wan21
