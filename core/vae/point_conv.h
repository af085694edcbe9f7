#pragma once

#include <ATen/ATen.h>

#include "core/execution/linear_product.h"
#include "core/vae/layer_source.h"

namespace reelgrid::vae {

/// A convolution whose kernel is one pixel (1×1 or 1×1×1 in the checkpoint): a matrix product over the
/// channels.
class PointConv {
  public:
    enum class Of { Video, Image };  ///< the checkpoint's weight is [O,C,1,1,1] or [O,C,1,1]

    PointConv(const LayerSource& source, std::int64_t in, std::int64_t out, Of of);

    /// […, C] → […, O].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x) const {
        return execution::linear(x, m_weight_OC, m_bias_O);
    }

    /// Calls visit(tensor) for each that a pass reads.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(m_weight_OC);
        visit(m_bias_O);
    }

  private:
    at::Tensor m_weight_OC, m_bias_O;
};

}  // namespace reelgrid::vae
