#include "core/vae/cogvideox/norm.h"

#include <algorithm>

#include "core/vae/norm_kernels.h"

namespace reelgrid::vae::cogvideox {

namespace {

constexpr std::int64_t kValuesOfPart = std::int64_t{1} << 20;

/// Mean and variance of each channel over all pixels, fp64.
ChannelMoments momentsOf(const at::Tensor& x_PC) {
    if (NormKernels::takes(x_PC)) return NormKernels::moments(x_PC);
    // In parts, beside which their copies in fp64 are nothing. Distances from one pixel keep squares small.
    const std::int64_t pixels = x_PC.size(0), most = std::max<std::int64_t>(1, kValuesOfPart / x_PC.size(1));
    const at::Tensor origin_C = x_PC[0].to(at::kDouble);
    at::Tensor sum_C = at::zeros_like(origin_C), squares_C = at::zeros_like(origin_C);
    for (std::int64_t first = 0; first < pixels; first += most) {
        const at::Tensor distance_PC =
            x_PC.narrow(0, first, std::min(most, pixels - first)).to(at::kDouble).sub_(origin_C);
        sum_C += distance_PC.sum(0);
        squares_C += distance_PC.square().sum(0);
    }
    const at::Tensor mean_C = sum_C / double(pixels);
    return {mean_C + origin_C, (squares_C / double(pixels) - mean_C.square()).clamp_min_(0)};
}

}  // namespace

Norm::Norm(const LayerSource& source, Of of, const Shape& shape) : m_shape(shape) {
    const LayerSource norm = of == Of::Frames ? source : source / "norm_layer";
    m_weight_C = norm.weights.fp32("weight", {shape.channels});
    m_bias_C = norm.weights.fp32("bias", {shape.channels});
    if (of == Of::FramesOverLatents)
        m_latents.emplace(LatentConvs{
            PointConv(source / "conv_y" / "conv", shape.zDim, shape.channels, PointConv::Of::Video),
            PointConv(source / "conv_b" / "conv", shape.zDim, shape.channels, PointConv::Of::Video)});
}

PixelAffine Norm::over(const at::Tensor& x_THWC, const at::Tensor& z_THWC) const {
    const std::int64_t channels = m_shape.channels, ofGroup = channels / m_shape.groups;
    const ChannelMoments moments = momentsOf(x_THWC.view({-1, channels}));
    // A group's variance is the mean of its channels' and the variance of their means.
    const at::Tensor means_GC = moments.mean_C.view({-1, ofGroup});
    const at::Tensor mean_G1 = means_GC.mean(1, true);
    const at::Tensor variance_G1 =
        moments.variance_C.view({-1, ofGroup}).mean(1, true) + (means_GC - mean_G1).square().mean(1, true);
    const auto perChannel = [&](const at::Tensor& value_G1) {
        return value_G1.expand({-1, ofGroup}).reshape({channels});
    };
    const at::Tensor scale_C = perChannel((variance_G1 + m_shape.eps).rsqrt()) * m_weight_C;
    const at::Tensor shift_C = m_bias_C - perChannel(mean_G1) * scale_C;
    if (!m_latents)
        return {scale_C.to(at::kFloat).view({1, 1, 1, channels}),
                shift_C.to(at::kFloat).view({1, 1, 1, channels})};
    const at::Tensor y_thwC = m_latents->scale.forward(z_THWC).to(at::kFloat);
    const at::Tensor b_thwC = m_latents->shift.forward(z_THWC).to(at::kFloat);
    return {(y_thwC * scale_C.to(at::kFloat)).contiguous(),
            at::addcmul(b_thwC, y_thwC, shift_C.to(at::kFloat)).contiguous()};
}

std::int64_t Norm::overBytes(const Activations& x, std::int64_t beside, BatchMemory& memory) const {
    // libtorch sums in parts, beside which it has them in fp64.
    constexpr std::int64_t kCopies = 2, kFp64 = sizeof(double), kFactors = 2, kFp32 = sizeof(float);
    const std::int64_t part =
        memory.path() == ConvPath::Libtorch ? kCopies * kFp64 * std::min(kValuesOfPart, x.values()) : 0;
    const std::int64_t factors = kFactors * memory.latents().pixels() * x.channels * kFp32;
    memory.note({beside, part, 2 * factors});
    return factors;
}

}  // namespace reelgrid::vae::cogvideox
