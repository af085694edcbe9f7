#include "core/media/timed_clip.h"

#include <algorithm>
#include <cmath>

namespace reelgrid::media {

namespace {

/// The clip's frame at its own time; before its start and after its last frame counted on at its average
/// rate, so that a shift by frames reaches its first and its last one.
int frameBeyondEnds(const ClipInfo& info, double seconds) {
    constexpr double kTolerance = 1e-6;
    const double rate = info.fps.value();
    const double last = info.frameSeconds.back();
    if (seconds < -kSameInstant) return int(std::floor(seconds * rate + kTolerance));
    if (seconds < last) return info.frameAt(seconds);
    return info.frameCount() - 1 + int(std::floor((seconds - last) * rate + kTolerance));
}

double timeBeyondEnds(const ClipInfo& info, int frame) {
    const double rate = info.fps.value();
    const int last = info.frameCount() - 1;
    if (frame < 0) return frame / rate;
    if (frame > last) return info.frameSeconds.back() + (frame - last) / rate;
    return info.frameSeconds[std::size_t(frame)];
}

}  // namespace

int TimedClip::shiftByIndex() const {
    return offsetFrames + int(std::lround(offsetSeconds * info->fps.value()));
}

int TimedClip::frameAt(double seconds) const {
    const int last = info->frameCount() - 1;
    if (indexRate > 0) {
        const double index = std::floor(seconds * indexRate + 1e-6);
        return std::clamp(int(std::clamp(index, -1e9, 1e9)) + shiftByIndex(), 0, last);
    }
    const double own = seconds + offsetSeconds;
    if (offsetFrames == 0) return info->frameAt(own);
    return std::clamp(frameBeyondEnds(*info, own) + offsetFrames, 0, last);
}

double TimedClip::dueAt(int frame) const {
    if (indexRate > 0) return (frame - shiftByIndex()) / indexRate;
    if (offsetFrames == 0 && frame == info->frameCount()) return info->durationSeconds - offsetSeconds;
    return timeBeyondEnds(*info, frame - offsetFrames) - offsetSeconds;
}

}  // namespace reelgrid::media
