#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace reelgrid::schedulers {

/// Unit normal noise of one seed, drawn piece by piece: what torch.randn(shape, device=generator,
/// generator=torch.Generator(generator).manual_seed(seed)) gives in turn, bit for bit.
class NoiseStream {
  public:
    explicit NoiseStream(std::uint64_t seed, at::Device generator = at::kCPU);

    /// fp32 on the generator's device.
    [[nodiscard]] at::Tensor draw(at::IntArrayRef shape);

  private:
    at::Device m_device;
    at::Generator m_generator;
};

/// The first piece of a seed's noise.
at::Tensor initialNoise(std::uint64_t seed, at::IntArrayRef shape, at::Device generator = at::kCPU);

}  // namespace reelgrid::schedulers
