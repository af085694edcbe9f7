#include "core/vae/wan21/rms_norm.h"

#include <cmath>

#include "core/vae/gpu_conv.h"

namespace reelgrid::vae::wan21 {

namespace {

at::Tensor normalised(const at::Tensor& x_THWC, const at::Tensor& scale_C) {
    const at::Tensor x = x_THWC.to(at::kFloat);
    const at::Tensor length = at::linalg_vector_norm(x, 2, at::IntArrayRef{-1}, true).clamp_min_(1e-12);
    return (x / length).mul_(scale_C);
}

}  // namespace

RmsNorm::RmsNorm(const LayerSource& source, std::int64_t channels, Of of) {
    const std::vector<std::int64_t> shape = of == Of::Video ? std::vector<std::int64_t>{channels, 1, 1, 1}
                                                            : std::vector<std::int64_t>{channels, 1, 1};
    m_scale_C = source.weights.fp32("gamma", shape).reshape({channels}) * std::sqrt(double(channels));
}

at::Tensor RmsNorm::forward(const at::Tensor& x_THWC) const {
    if (x_THWC.is_cuda()) {
        at::Tensor out = at::empty(x_THWC.sizes(), x_THWC.options());
        if (normOnGpu(x_THWC, m_scale_C, kernels::cuda::Activation::None, out)) return out;
    }
    return normalised(x_THWC, m_scale_C).to(x_THWC.scalar_type());
}

at::Tensor RmsNorm::forwardSilu(const at::Tensor& x_THWC) const {
    at::Tensor out = at::empty(x_THWC.sizes(), x_THWC.options());
    forwardSiluInto(out, x_THWC);
    return out;
}

void RmsNorm::forwardSiluInto(at::Tensor out_THWC, const at::Tensor& x_THWC) const {
    if (normOnGpu(x_THWC, m_scale_C, kernels::cuda::Activation::Silu, out_THWC)) return;
    at::Tensor y = normalised(x_THWC, m_scale_C);
    out_THWC.copy_(at::silu_(y));
}

}  // namespace reelgrid::vae::wan21
