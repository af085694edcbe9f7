#include "core/vae/temporal_residual.h"

#include <cmath>

namespace reelgrid::vae {
namespace {

constexpr std::int64_t kTimeGroups = 32;

}  // namespace

double TimeShare::load(const weights::WeightScope& scope, Of of) {
    const at::Tensor factor_1 = scope.fp32("mix_factor", {1});
    // A model without weights is only asked for its parameters.
    if (factor_1.is_meta()) return 1;
    const double share = 1 / (1 + std::exp(-factor_1.item<double>()));
    return of == Of::Time ? share : 1 - share;
}

TemporalResidual::TemporalResidual(const LayerSource& source, std::int64_t channels, double normEps,
                                   double share)
    : m_norm1(source / "norm1", channels, kTimeGroups, normEps),
      m_conv1(source / "conv1", channels, channels),
      m_norm2(source / "norm2", channels, kTimeGroups, normEps),
      m_conv2(source / "conv2", channels, channels, share) {}

at::Tensor TemporalResidual::forward(const at::Tensor& x_THWC, const at::Tensor& time_1C) const {
    if (m_conv1.isOnGpu()) {
        // The second norm adds what the first convolution leaves out.
        const auto tall_1HWC = [](const at::Tensor& frames_THWC) {
            return frames_THWC.flatten(0, 1).unsqueeze(0);
        };
        const at::Tensor made_THWC = m_conv1.product(m_norm1.forwardSilu(tall_1HWC(x_THWC)).view_as(x_THWC));
        const at::Tensor bias_1C = time_1C.defined() ? m_conv1.bias_1O() + time_1C : m_conv1.bias_1O();
        return m_conv2.forward(m_norm2.forwardSilu(tall_1HWC(made_THWC), bias_1C).view_as(x_THWC), x_THWC);
    }
    const at::Tensor y_THWC = m_conv1.forwardNormed(m_norm1, x_THWC, time_1C);
    return m_conv2.forwardNormed(m_norm2, y_THWC, {}, x_THWC);
}

}  // namespace reelgrid::vae
