#pragma once

#include <cstdint>
#include <span>

namespace reelgrid::metrics {

/// Peak signal-to-noise ratio of two frames in dB: 10·log10(1/MSE) for values in 0…1, all channels together,
/// MSE at least 1e-10, so that equal frames have 100 dB.
double psnr(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

}  // namespace reelgrid::metrics
