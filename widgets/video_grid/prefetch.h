#pragma once

#include <vector>

namespace reelgrid::widgets {

enum class PlayDirection { Forward, Backward };

/// What playback will want of one clip.
struct PrefetchRequest {
    int current = 0;  ///< the frame on show, or about to be
    PlayDirection direction = PlayDirection::Forward;
    int loopFirst = 0;  ///< playback wraps from loopLast to loopFirst
    int loopLast = 0;
    bool operator==(const PrefetchRequest&) const = default;
};

/// The frames worth keeping, most urgent first: the current one, then those ahead in playing order
/// (wrapping in the loop), then a few behind it for a step back. At most `capacity` of them, no doubles.
std::vector<int> wantedFrames(const PrefetchRequest& request, int frameCount, int capacity);

}  // namespace reelgrid::widgets
