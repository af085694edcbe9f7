#pragma once

#include "core/media/clip.h"

namespace reelgrid::media {

/// A clip's place on a common time axis: at time t it shows its own time t + offsetSeconds, and from there
/// offsetFrames further on. By index, the axis counts frames instead: at time t it shows ⌊t · indexRate⌋.
struct TimedClip {
    const ClipInfo* info = nullptr;
    double offsetSeconds = 0;
    int offsetFrames = 0;
    double indexRate = 0;  ///< frames a second of the axis when clips are held together by index; 0: by time

    [[nodiscard]] int frameAt(double seconds) const;
    /// When `frame`, or the clip's end for frame frameCount(), is due; before 0 or after the last stop too.
    [[nodiscard]] double dueAt(int frame) const;

  private:
    [[nodiscard]] int shiftByIndex() const;
};

/// Times that mean the same instant differ by rounding (3/24 s against 2/16 s); frames are never this close.
inline constexpr double kSameInstant = 1e-5;

}  // namespace reelgrid::media
