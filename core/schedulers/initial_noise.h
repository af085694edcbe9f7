#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace reelgrid::schedulers {

/// Unit normal noise, fp32 on the generator's device, equal bit for bit to
/// torch.randn(shape, device=generator, generator=torch.Generator(generator).manual_seed(seed)).
at::Tensor initialNoise(std::uint64_t seed, at::IntArrayRef shape, at::Device generator = at::kCPU);

}  // namespace reelgrid::schedulers
