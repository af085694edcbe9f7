#pragma once

#include <limits>
#include <vector>

namespace reelgrid::widgets {

enum class PlayDirection { Forward, Backward };

/// What playback will want of one clip.
struct PrefetchRequest {
    int current = 0;  ///< the frame on show, or about to be
    PlayDirection direction = PlayDirection::Forward;
    int loopFirst = 0;  ///< playback wraps from loopLast to loopFirst
    int loopLast = 0;
    /// Of the frames worth keeping, how many of the most urgent ones are read now: while one clip keeps the
    /// picture waiting, the others leave it the processor. What is kept is the same.
    int readNow = std::numeric_limits<int>::max();
    bool operator==(const PrefetchRequest&) const = default;
};

/// The frames worth keeping, most urgent first: the current one, then those ahead in playing order
/// (wrapping in the loop), then a few behind it for a step back. At most `capacity` of them, no doubles.
std::vector<int> wantedFrames(const PrefetchRequest& request, int frameCount, int capacity);

}  // namespace reelgrid::widgets
