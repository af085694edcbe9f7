#include "core/schedulers/initial_noise.h"

#include <ATen/CPUGeneratorImpl.h>

namespace reelgrid::schedulers {

at::Tensor initialNoise(std::uint64_t seed, at::IntArrayRef shape) {
    return at::randn(shape, at::Generator(at::detail::createCPUGenerator(seed)), at::kFloat);
}

}  // namespace reelgrid::schedulers
