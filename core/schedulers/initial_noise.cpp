#include "core/schedulers/initial_noise.h"

#include <ATen/CPUGeneratorImpl.h>

namespace reelgrid::schedulers {
namespace {

at::Generator generatorOf(std::uint64_t seed, at::Device device) {
    if (device.is_cpu()) return at::Generator(at::detail::createCPUGenerator(seed));
    at::Generator random =
        at::globalContext().getAcceleratorHooksInterface(device.type()).getNewGenerator(device.index());
    random.set_current_seed(seed);
    return random;
}

}  // namespace

NoiseStream::NoiseStream(std::uint64_t seed, at::Device generator)
    : m_device(generator), m_generator(generatorOf(seed, generator)) {}

at::Tensor NoiseStream::draw(at::IntArrayRef shape) {
    return at::randn(shape, m_generator, at::TensorOptions().dtype(at::kFloat).device(m_device));
}

std::vector<std::int64_t> NoiseStream::permutation(std::int64_t count) {
    const at::Tensor order =
        at::randperm(count, m_generator, at::TensorOptions().dtype(at::kLong).device(m_device)).cpu();
    const auto* first = order.const_data_ptr<std::int64_t>();
    return {first, first + count};
}

at::Tensor initialNoise(std::uint64_t seed, at::IntArrayRef shape, at::Device generator) {
    return NoiseStream(seed, generator).draw(shape);
}

}  // namespace reelgrid::schedulers
