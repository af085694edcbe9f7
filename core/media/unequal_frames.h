#pragma once

namespace reelgrid::media {

/// Frames of a clip that its file doesn't show equally long, by more than a container's rounding.
struct UnequalFrames {
    double shortest = 0, longest = 0;  ///< seconds
    bool isEvened = false;             ///< taken at one rate all the same; else at their own times
    bool operator==(const UnequalFrames&) const = default;
};

}  // namespace reelgrid::media
