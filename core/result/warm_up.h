#pragma once

#include <optional>

#include "core/result/timing.h"

namespace reelgrid::result {

/// Seconds that the first denoising steps took beyond what later ones take: a device's libraries start,
/// kernels are compiled or tuned. 0 where the first step took at most five times as long as the longest of
/// the last half (a backend that a policy gives the first steps to is not so much slower), or of fewer than
/// four steps.
double warmUpSeconds(const Timing& timing);

/// The stage "denoise" without that: what ratios of speed are made of. Absent where it was not measured.
std::optional<double> steadyDenoiseSeconds(const Timing& timing);

}  // namespace reelgrid::result
