#pragma once

#include <cstdint>
#include <span>

#include "core/metrics/series.h"

namespace reelgrid::metrics {

/// Frozen and black clips score near 1 on every temporal measure: what must hold for those scores to mean
/// anything.
struct ClipGates {
    double luminanceVariance = 0;  ///< of BT.709 luma in codes, the mean over frames
    double motion = 0;    ///< mean absolute difference of consecutive frames in codes; NaN for one frame
    int frozenPairs = 0;  ///< consecutive frames that (almost) don't differ
    bool flat = false;    ///< black, or any other single colour
    bool frozen = false;  ///< nothing moves

    [[nodiscard]] bool passed() const { return !flat && !frozen; }
};

/// Below these a clip is flat or frozen: a standard deviation of 2 codes; a difference of a tenth of a code,
/// which is what an encoder leaves of a still picture.
inline constexpr double kLeastVariance = 4.0;
inline constexpr double kLeastMotion = 0.1;

/// Variance of BT.709 luma over one RGB frame, in codes².
double luminanceVariance(std::span<const std::uint8_t> rgb);
ClipGates gatesOf(const Series& luminanceVariance, const Series& frameDifference);

}  // namespace reelgrid::metrics
