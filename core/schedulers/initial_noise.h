#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace reelgrid::schedulers {

/// Unit normal noise, fp32 on the CPU, equal bit for bit to
/// torch.randn(shape, generator=torch.Generator().manual_seed(seed)).
at::Tensor initialNoise(std::uint64_t seed, at::IntArrayRef shape);

}  // namespace reelgrid::schedulers
