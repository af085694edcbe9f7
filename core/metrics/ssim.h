#pragma once

#include <cstdint>
#include <span>

namespace reelgrid::metrics {

/// The side of SSIM's window; smaller pictures have no SSIM.
inline constexpr int kSsimWindow = 11;

/// Structural similarity of two RGB frames (Wang et al. 2004): 11×11 Gaussian window with σ 1.5 at every
/// place where it lies wholly inside the picture, C1 = 0.01², C2 = 0.03² for values in 0…1; the mean over
/// places and the three channels. Both sides must be at least kSsimWindow.
double ssim(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, int width, int height);

/// The shorter side that MS-SSIM's five scales need.
inline constexpr int kLeastMsSsimSide = (kSsimWindow - 1) * 16 + 1;

/// SSIM at five scales (Wang, Simoncelli and Bovik 2003): the contrast of each and the luminance of the
/// smallest, weighted by their exponents; halved by means of 2×2 pixels, with zeros before odd
/// sides, as pytorch-msssim does. A contrast below zero counts as zero. The mean over the three channels;
/// both sides must be at least kLeastMsSsimSide.
double msSsim(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, int width, int height);

}  // namespace reelgrid::metrics
