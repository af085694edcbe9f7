#include "core/schedulers/initial_noise.h"

#include <ATen/CPUGeneratorImpl.h>

namespace reelgrid::schedulers {

at::Tensor initialNoise(std::uint64_t seed, at::IntArrayRef shape, at::Device generator) {
    if (generator.is_cpu())
        return at::randn(shape, at::Generator(at::detail::createCPUGenerator(seed)), at::kFloat);
    at::Generator random =
        at::globalContext().getAcceleratorHooksInterface(generator.type()).getNewGenerator(generator.index());
    random.set_current_seed(seed);
    return at::randn(shape, random, at::TensorOptions().dtype(at::kFloat).device(generator));
}

}  // namespace reelgrid::schedulers
