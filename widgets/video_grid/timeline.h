#pragma once

#include <span>
#include <vector>

#include "core/media/timed_clip.h"

namespace reelgrid::widgets {

using media::TimedClip;

/// The common time axis of several clips: every instant at which any of them shows a new frame. Stepping
/// from stop to stop passes each frame of each clip once, whatever the mix of constant and variable rates.
class Timeline {
  public:
    Timeline() = default;
    explicit Timeline(std::span<const TimedClip> clips);

    [[nodiscard]] bool empty() const { return m_stops.empty(); }
    [[nodiscard]] double duration() const { return m_duration; }  ///< seconds, the latest end of a clip
    [[nodiscard]] int stopCount() const { return int(m_stops.size()); }
    [[nodiscard]] double stop(int index) const { return m_stops[std::size_t(index)]; }
    /// Index of the last stop ≤ `seconds`, clamped to the first and last; 0 when empty.
    [[nodiscard]] int stopAt(double seconds) const;
    /// When the picture of stop `index` ends: the next stop, or the duration.
    [[nodiscard]] double endOfStop(int index) const;

  private:
    std::vector<double> m_stops;
    double m_duration = 0;
};

}  // namespace reelgrid::widgets
