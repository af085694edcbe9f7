#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/result/timing.h"

namespace reelgrid::result {

/// Of fewer steps that did as much as the first (of a step cache: with as many whole passes) it isn't known
/// whether the first were slowed.
inline constexpr std::size_t kFewestStepsToTell = 4;

/// How many of the first denoising steps took longer than later ones that did as much, as warmUpSeconds()
/// counts them; absent where there are too few steps to tell.
std::optional<std::size_t> coldSteps(const Timing& timing);

/// Seconds that the first denoising steps took beyond what later ones with as much to do take: a device's
/// libraries start, kernels are compiled or tuned. 0 where the first step took at most five times as long as
/// the longest of the last half (a backend that a policy gives the first steps to is not so much slower), or
/// of fewer than four steps.
double warmUpSeconds(const Timing& timing);

/// Of that, what lay in a part of the steps, such as "self_attention". 0 where they weren't measured by part.
double warmUpSecondsIn(const Timing& timing, std::string_view part);

/// The stage "denoise" without warmUpSeconds(). Absent where it was not measured.
std::optional<double> steadyDenoiseSeconds(const Timing& timing);

/// How many times as fast as `reference` a render denoised, what their first steps took beyond later ones
/// left out of both. Absent where the stage "denoise" of one of them was not measured, or took no time.
std::optional<double> denoiseRatio(const Timing& reference, const Timing& own);

}  // namespace reelgrid::result
