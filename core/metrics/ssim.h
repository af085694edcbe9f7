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

}  // namespace reelgrid::metrics
