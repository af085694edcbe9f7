#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace reelgrid::schedulers {

/// Unit normal noise of one seed, drawn piece by piece: what torch.randn(shape, device=generator,
/// generator=torch.Generator(generator).manual_seed(seed)) gives in turn, bit for bit.
class NoiseStream {
  public:
    explicit NoiseStream(std::uint64_t seed, at::Device generator = at::kCPU);

    /// fp32 on the generator's device.
    [[nodiscard]] at::Tensor draw(at::IntArrayRef shape);

    /// 0 to count − 1 in another order, as torch.randperm(count, generator=generator) gives them.
    [[nodiscard]] std::vector<std::int64_t> permutation(std::int64_t count);

    /// The generator's state as bytes in host memory; after restore() of it the same pieces follow.
    [[nodiscard]] at::Tensor state() const { return m_generator.get_state(); }
    /// Throws c10::Error for what is no state of such a generator.
    void restore(const at::Tensor& state) { m_generator.set_state(state); }

  private:
    at::Device m_device;
    at::Generator m_generator;
};

/// The first piece of a seed's noise.
at::Tensor initialNoise(std::uint64_t seed, at::IntArrayRef shape, at::Device generator = at::kCPU);

}  // namespace reelgrid::schedulers
