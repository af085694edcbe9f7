#include "widgets/video_grid/timeline.h"

#include <algorithm>

namespace reelgrid::widgets {

using media::kSameInstant;

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
