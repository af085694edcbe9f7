#include "core/vae/group_norm.h"

#include "core/vae/norm_kernels.h"

namespace reelgrid::vae {

GroupNorm::GroupNorm(const LayerSource& source, std::int64_t channels, std::int64_t groups, double eps)
    : m_groups(groups),
      m_eps(eps),
      m_engine(source.engine),
      m_weight_C(source.weights("weight", {channels})),
      m_bias_C(source.weights("bias", {channels})),
      m_kernelWeight_C(m_weight_C.to(at::kDouble)),
      m_kernelBias_C(m_bias_C.to(at::kDouble)) {}

at::Tensor GroupNorm::forward(const at::Tensor& x_NHWC) const {
    return at::group_norm(x_NHWC.permute({0, 3, 1, 2}), m_groups, m_weight_C, m_bias_C, m_eps)
        .permute({0, 2, 3, 1})
        .contiguous();
}

/// On a GPU the kernels would be started once a picture and more.
bool GroupNorm::usesKernels(const at::Tensor& x_NHWC) const {
    return m_engine == ConvEngine::Fastest && x_NHWC.is_cpu() && NormKernels::takes(x_NHWC);
}

ChannelMap GroupNorm::mapOfPicture(const at::Tensor& x_HWC) const {
    const std::int64_t channels = x_HWC.size(2);
    const ChannelMoments moments = NormKernels::moments(x_HWC.reshape({-1, channels}));
    // Of a group: the variance within its channels and that between their means.
    const at::Tensor means_GC = moments.mean_C.view({m_groups, -1});
    const at::Tensor mean_G1 = means_GC.mean(-1, true);
    const at::Tensor variance_G1 =
        (moments.variance_C.view({m_groups, -1}) + (means_GC - mean_G1).square()).mean(-1, true);
    const at::Tensor rate_GC = at::rsqrt(variance_G1 + m_eps).expand_as(means_GC);
    const at::Tensor scale_C = rate_GC.reshape({channels}) * m_kernelWeight_C;
    const at::Tensor shift_C = m_kernelBias_C - mean_G1.expand_as(means_GC).reshape({channels}) * scale_C;
    return {scale_C.to(at::kFloat).contiguous(), shift_C.to(at::kFloat).contiguous()};
}

std::optional<ChannelMap> GroupNorm::mapOf(const at::Tensor& x_1HWC) const {
    if (!usesKernels(x_1HWC)) return std::nullopt;
    return mapOfPicture(x_1HWC[0]);
}

at::Tensor GroupNorm::forwardSilu(const at::Tensor& x_NHWC) const {
    if (!usesKernels(x_NHWC)) {
        at::Tensor normed = forward(x_NHWC);
        return at::silu_(normed);
    }
    at::Tensor out_NHWC = at::empty_like(x_NHWC);
    for (std::int64_t i = 0; i < x_NHWC.size(0); ++i) {
        const ChannelMap map = mapOfPicture(x_NHWC[i]);
        const auto cell = [](const at::Tensor& of_C) { return of_C.view({1, 1, -1}); };
        NormKernels::activate(out_NHWC[i], x_NHWC[i], cell(map.scale_C), cell(map.shift_C));
    }
    return out_NHWC;
}

}  // namespace reelgrid::vae
