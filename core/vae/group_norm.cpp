#include "core/vae/group_norm.h"

#include "core/execution/kernel_arguments.h"
#include "core/vae/kernel_type.h"
#include "core/vae/norm_kernels.h"

namespace reelgrid::vae {
namespace {

/// What the GPU's kernel takes (kernels/cuda/library.h).
constexpr std::int64_t kGroupChannelStep = 8, kMostGroupChannels = 2560, kMostPictures = 65535;

}  // namespace

GroupNorm::GroupNorm(const LayerSource& source, std::int64_t channels, std::int64_t groups, double eps)
    : m_groups(groups),
      m_eps(eps),
      m_engine(source.engine),
      m_weight_C(source.weights("weight", {channels})),
      m_bias_C(source.weights("bias", {channels})),
      // For the CPU's kernels alone: not every device has float64.
      m_kernelWeight_C(m_weight_C.is_cpu() ? m_weight_C.to(at::kDouble) : at::Tensor()),
      m_kernelBias_C(m_bias_C.is_cpu() ? m_bias_C.to(at::kDouble) : at::Tensor()) {}

at::Tensor GroupNorm::forward(const at::Tensor& x_NHWC) const {
    if (usesGpuKernel(x_NHWC)) return onGpu(x_NHWC, kernels::cuda::Activation::None, {});
    return at::group_norm(x_NHWC.permute({0, 3, 1, 2}), m_groups, m_weight_C, m_bias_C, m_eps)
        .permute({0, 2, 3, 1})
        .contiguous();
}

bool GroupNorm::usesGpuKernel(const at::Tensor& x_NHWC) const {
    const std::int64_t channels = x_NHWC.size(3);
    return m_engine == ConvEngine::Fastest && execution::hasCudaKernels(x_NHWC) &&
           channels % kGroupChannelStep == 0 && channels <= kMostGroupChannels &&
           x_NHWC.size(0) <= kMostPictures;
}

at::Tensor GroupNorm::onGpu(const at::Tensor& x_NHWC, kernels::cuda::Activation activation,
                            const at::Tensor& added_1C) const {
    const at::Tensor x = x_NHWC.contiguous(), added = added_1C.defined() ? added_1C.contiguous() : added_1C;
    const std::int64_t pictures = x.size(0), channels = x.size(3), pixels = x.size(1) * x.size(2);
    at::Tensor out_NHWC = at::empty(x.sizes(), x.options());
    const at::Tensor workspace = at::empty({kernels::cuda::groupNormFloats(pictures, pixels, channels)},
                                           x.options().dtype(at::kFloat));
    kernels::cuda::library()->groupNorm({.pictures = pictures,
                                         .pixels = pixels,
                                         .channels = channels,
                                         .groups = m_groups,
                                         .eps = static_cast<float>(m_eps),
                                         .type = kernelTypeOf(x),
                                         .x = x.const_data_ptr(),
                                         .added = added.defined() ? added.const_data_ptr() : nullptr,
                                         .weight = m_weight_C.const_data_ptr(),
                                         .bias = m_bias_C.const_data_ptr(),
                                         .activation = activation,
                                         .out = out_NHWC.mutable_data_ptr(),
                                         .workspace = workspace.mutable_data_ptr<float>()},
                                        execution::streamOf(x));
    return out_NHWC;
}

/// On a GPU these kernels would be started once a picture and more.
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

at::Tensor GroupNorm::forwardSilu(const at::Tensor& x, const at::Tensor& added_1C) const {
    if (usesGpuKernel(x)) return onGpu(x, kernels::cuda::Activation::Silu, added_1C);
    const at::Tensor x_NHWC = added_1C.defined() ? x + added_1C : x;
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
