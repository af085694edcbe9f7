#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/media/frame.h"
#include "core/media/unequal_frames.h"

namespace reelgrid::media {

/// When each frame of a clip is shown.
struct FrameTiming {
    Rational fps;
    std::vector<double> seconds;  ///< ascending, first is 0
    double durationSeconds = 0;
    std::optional<UnequalFrames> unequal{};  ///< absent: they are equally long
};

/// Times from presentation stamps (ascending, in units of `timeBase` seconds). Containers round stamps (WebM
/// to 1 ms, GIF to 10 ms): when every stamp is within one unit of a constant rate, the times are that rate's
/// exactly, so that frame i starts at i/fps and not a fraction later. Where a unit is a frame (AVI, Ogg)
/// stamps must be exactly a rate's, and a frame that was left out leaves a gap; on coarse clocks (GIF) equal
/// steps are the rate themselves. Where steps differ by more than that rounding it is said. `lastDuration`
/// (0: unknown) is in the same units; `declaredRates` are the container's own ideas of the rate, best first.
FrameTiming frameTimingOf(std::span<const std::int64_t> stamps, Rational timeBase, std::int64_t lastDuration,
                          std::span<const Rational> declaredRates);

}  // namespace reelgrid::media
