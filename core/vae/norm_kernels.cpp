#include "core/vae/norm_kernels.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "core/base/result.h"
#include "core/execution/kernel_arguments.h"
#include "core/vae/kernel_type.h"
#include "kernels/cpu/vae/vae_conv.h"
#include "kernels/cpu/vae/vae_norm.h"
#include "kernels/cuda/library.h"

namespace reelgrid::vae {

namespace {

constexpr std::int64_t kNormChannelStep = 8;
constexpr std::int64_t kMostGpuChannels = 1024;
// Fewer than these are not worth a thread of their own.
constexpr std::int64_t kGrainFloats = 16384;

std::int64_t grainOf(std::int64_t floats) {
    return std::max<std::int64_t>(1, kGrainFloats / floats);
}

/// From the sums of distances from the first pixel, and of their squares: fp64 [2, C].
ChannelMoments momentsFrom(const at::Tensor& sums_2C, const at::Tensor& x_PC) {
    const at::Tensor means_2C = sums_2C / double(x_PC.size(0));
    return {means_2C[0] + x_PC[0].to(at::kDouble), (means_2C[1] - means_2C[0].square()).clamp_min_(0)};
}

ChannelMoments momentsOnGpu(const at::Tensor& x_PC) {
    // Enough blocks for any GPU, each with pixels enough.
    constexpr std::int64_t kMostParts = 1024, kLeastPixels = 64;
    const std::int64_t pixels = x_PC.size(0), channels = x_PC.size(1);
    const std::int64_t parts = std::clamp<std::int64_t>(pixels / kLeastPixels, 1, kMostParts);
    const at::Tensor sums = at::empty({parts, 2, channels}, x_PC.options().dtype(at::kFloat));
    kernels::cuda::library()->channelSums({.pixels = pixels,
                                           .channels = channels,
                                           .parts = parts,
                                           .type = kernelTypeOf(x_PC),
                                           .x = x_PC.const_data_ptr(),
                                           .sums = sums.mutable_data_ptr<float>()},
                                          execution::streamOf(x_PC));
    return momentsFrom(sums.sum(at::IntArrayRef{0}, false, at::kDouble), x_PC);
}

}  // namespace

bool NormKernels::takes(const at::Tensor& x) {
    if (x.size(-1) % kNormChannelStep != 0) return false;
    if (execution::hasCudaKernels(x)) return x.size(-1) <= kMostGpuChannels;
    return x.is_cpu() && x.scalar_type() == at::kFloat && kernels::vaeConvLanes() > 0;
}

ChannelMoments NormKernels::moments(const at::Tensor& x_PC) {
    if (x_PC.is_cuda()) return momentsOnGpu(x_PC);
    const std::int64_t pixels = x_PC.size(0), channels = x_PC.size(1);
    const float* x = x_PC.const_data_ptr<float>();
    const int lanes = kernels::vaeConvLanes();
    // In parts of fixed size, added in their order: the sums don't depend on the number of threads.
    const std::int64_t part = std::max(grainOf(channels), (pixels + 255) / 256);
    const std::int64_t parts = (pixels + part - 1) / part;
    const at::Tensor sums = at::zeros({2, parts, channels}, at::kDouble);
    auto* first = sums.mutable_data_ptr<double>();
    at::parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            kernels::addVaeChannelSums({.lanes = lanes,
                                        .channels = int(channels),
                                        .pixels = std::min(part, pixels - i * part),
                                        .in = x + i * part * channels,
                                        .origin = x,
                                        .sums = first + i * channels,
                                        .squares = first + (parts + i) * channels});
    });
    return momentsFrom(sums.sum(1), x_PC);
}

void NormKernels::activate(const at::Tensor& out_HWC, const at::Tensor& x_HWC, const at::Tensor& scale_hwC,
                           const at::Tensor& shift_hwC) {
    const std::int64_t rows = x_HWC.size(0), columns = x_HWC.size(1), channels = x_HWC.size(2);
    if (x_HWC.is_cuda()) {
        kernels::cuda::library()->affineSilu({.rows = rows,
                                              .columns = columns,
                                              .channels = channels,
                                              .rowsOfCell = rows / scale_hwC.size(0),
                                              .columnsOfCell = columns / scale_hwC.size(1),
                                              .type = kernelTypeOf(x_HWC),
                                              .x = x_HWC.const_data_ptr(),
                                              .scale = scale_hwC.const_data_ptr<float>(),
                                              .shift = shift_hwC.const_data_ptr<float>(),
                                              .out = out_HWC.mutable_data_ptr()},
                                             execution::streamOf(x_HWC));
        return;
    }
    const kernels::VaeAffine affine{.lanes = kernels::vaeConvLanes(),
                                    .channels = int(channels),
                                    .columns = int(columns),
                                    .rowsOfCell = int(rows / scale_hwC.size(0)),
                                    .columnsOfCell = int(columns / scale_hwC.size(1)),
                                    .in = x_HWC.const_data_ptr<float>(),
                                    .scale = scale_hwC.const_data_ptr<float>(),
                                    .shift = shift_hwC.const_data_ptr<float>(),
                                    .out = out_HWC.mutable_data_ptr<float>()};
    at::parallel_for(0, rows, grainOf(columns * channels), [&](std::int64_t begin, std::int64_t end) {
        kernels::runVaeAffineSilu(affine, int(begin), int(end));
    });
}

}  // namespace reelgrid::vae
