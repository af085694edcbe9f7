#include "core/vae/conv_path.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::vae {

ConvPath convPathOf(at::ScalarType dtype, at::Device device) {
    if (device.is_cuda()) return ConvPath::Cudnn;
    return device.is_cpu() && dtype == at::kFloat && kernels::vaeConvLanes() > 0 ? ConvPath::Winograd
                                                                                 : ConvPath::Libtorch;
}

std::int64_t winogradScratchBytes(const Activations& out, std::int64_t inChannels, std::int64_t timeTaps) {
    kernels::VaeConv conv;
    conv.lanes = kernels::vaeConvLanes();
    conv.inChannels = int(winogradChannels(inChannels));
    conv.outChannels = int(winogradChannels(out.channels));
    conv.timeTaps = int(timeTaps);
    conv.rows = int(out.rows);
    conv.columns = int(out.columns);
    conv.frames = int(out.frames);
    const std::int64_t threads = std::min<std::int64_t>(at::get_num_threads(), kernels::vaeConvTasks(conv));
    return threads * std::int64_t(kernels::vaeConvScratchFloats(conv) * sizeof(float));
}

std::int64_t winogradChannels(std::int64_t channels) {
    constexpr std::int64_t kStep = 8;
    return (channels + kStep - 1) / kStep * kStep;
}

}  // namespace reelgrid::vae
