#include "widgets/video_grid/timeline.h"

#include <algorithm>
#include <cmath>

namespace reelgrid::widgets {

namespace {
// Times that mean the same instant differ by rounding (3/24 s against 2/16 s); frames are never this close.
constexpr double kSameInstant = 1e-5;

/// The clip's frame at its own time; before its start and after its last frame counted on at its average
/// rate, so that a shift by frames reaches its first and its last one.
int frameBeyondEnds(const media::ClipInfo& info, double seconds) {
    constexpr double kTolerance = 1e-6;
    const double rate = info.fps.value();
    const double last = info.frameSeconds.back();
    if (seconds < -kSameInstant) return int(std::floor(seconds * rate + kTolerance));
    if (seconds < last) return info.frameAt(seconds);
    return info.frameCount() - 1 + int(std::floor((seconds - last) * rate + kTolerance));
}

double timeBeyondEnds(const media::ClipInfo& info, int frame) {
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

Timeline::Timeline(std::span<const TimedClip> clips) {
    std::vector<double> times;
    for (const TimedClip& clip : clips) {
        for (int frame = 0; frame < clip.info->frameCount(); ++frame) {
            const double due = clip.dueAt(frame);
            // What lies before the start is never shown; the frame that reaches into it is there at 0.
            if (due > -kSameInstant) times.push_back(std::max(due, 0.0));
        }
        m_duration = std::max(m_duration, clip.dueAt(clip.info->frameCount()));
    }
    if (!clips.empty()) times.push_back(0);
    std::ranges::sort(times);
    for (double time : times) {
        // Of times that mean one instant the latest stands, so that every clip has its new frame there.
        if (!m_stops.empty() && time - m_stops.back() < kSameInstant)
            m_stops.back() = time;
        else
            m_stops.push_back(time);
    }
    if (!m_stops.empty()) m_duration = std::max(m_duration, m_stops.back() + kSameInstant);
}

int Timeline::stopAt(double seconds) const {
    if (m_stops.empty()) return 0;
    const auto after = std::ranges::upper_bound(m_stops, seconds);
    return std::max(0, int(after - m_stops.begin()) - 1);
}

double Timeline::endOfStop(int index) const {
    return index + 1 < stopCount() ? stop(index + 1) : m_duration;
}

}  // namespace reelgrid::widgets
