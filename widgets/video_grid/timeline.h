#pragma once

#include <span>
#include <vector>

#include "core/media/clip.h"

namespace reelgrid::widgets {

/// A clip's place on the common axis: at time t it shows its own time t + offsetSeconds, and from there
/// offsetFrames further on. By index, the axis counts frames instead: at time t it shows ⌊t · indexRate⌋.
struct TimedClip {
    const media::ClipInfo* info = nullptr;
    double offsetSeconds = 0;
    int offsetFrames = 0;
    double indexRate = 0;  ///< frames a second of the axis when clips are held together by index; 0: by time

    [[nodiscard]] int frameAt(double seconds) const;
    /// When `frame`, or the clip's end for frame frameCount(), is due; before 0 or after the last stop too.
    [[nodiscard]] double dueAt(int frame) const;

  private:
    [[nodiscard]] int shiftByIndex() const;
};

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
