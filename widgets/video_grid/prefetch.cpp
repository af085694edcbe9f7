#include "widgets/video_grid/prefetch.h"

#include <algorithm>

namespace reelgrid::widgets {

std::vector<int> wantedFrames(const PrefetchRequest& request, int frameCount, int capacity) {
    std::vector<int> wanted;
    if (frameCount <= 0 || capacity <= 0) return wanted;
    capacity = std::min(capacity, frameCount);
    const int last = frameCount - 1;
    const int loopFirst = std::clamp(request.loopFirst, 0, last);
    const int loopLast = std::clamp(request.loopLast, loopFirst, last);
    const int current = std::clamp(request.current, 0, last);
    const int sign = request.direction == PlayDirection::Forward ? 1 : -1;

    std::vector<bool> taken(std::size_t(frameCount), false);
    const auto take = [&](int index) {
        if (taken[std::size_t(index)]) return false;
        taken[std::size_t(index)] = true;
        wanted.push_back(index);
        return true;
    };
    take(current);
    // A quarter of the room stays behind the playhead, so that stepping back finds its frames.
    const int ahead = std::max(1, capacity - capacity / 4);
    int index = current;
    while (int(wanted.size()) < ahead) {
        index += sign;
        if (sign > 0 && index == loopLast + 1 && current <= loopLast) index = loopFirst;
        if (sign < 0 && index == loopFirst - 1 && current >= loopFirst) index = loopLast;
        if (index < 0 || index > last || !take(index)) break;
    }
    for (index = current - sign; int(wanted.size()) < capacity && index >= 0 && index <= last; index -= sign)
        take(index);
    // Room that is left (the loop is short, or the clip's end is near) takes the rest of the clip in order.
    for (index = 0; int(wanted.size()) < capacity && index <= last; ++index) take(index);
    return wanted;
}

}  // namespace reelgrid::widgets
