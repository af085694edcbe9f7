#include "core/denoising/cublas_memory.h"

#include "core/denoising/guidance.h"

namespace reelgrid::denoising {

std::uint64_t cublasBytes(at::Device device, const catalog::RenderSettings& settings) {
    if (!device.is_cuda()) return 0;
    const std::uint64_t recorded = !settings.useTorchCompile ? 0 : isGuided(settings) ? 2 : 1;
    return (1 + recorded) * kCublasStreamBytes;
}

}  // namespace reelgrid::denoising
