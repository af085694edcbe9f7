#include "widgets/video_grid/timeline.h"

#include <algorithm>

namespace reelgrid::widgets {

namespace {
// Times that mean the same instant differ by rounding (3/24 s against 2/16 s); frames are never this close.
constexpr double kSameInstant = 1e-5;
}  // namespace

Timeline::Timeline(std::span<const TimedClip> clips) {
    std::vector<double> times;
    for (const TimedClip& clip : clips) {
        for (const double time : clip.info->frameSeconds) {
            const double shown = time - clip.offsetSeconds;
            // What lies before the start is never shown; the frame that reaches into it is there at 0.
            if (shown > -kSameInstant) times.push_back(std::max(shown, 0.0));
        }
        m_duration = std::max(m_duration, clip.info->durationSeconds - clip.offsetSeconds);
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
