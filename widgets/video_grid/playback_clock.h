#pragma once

#include <functional>
#include <optional>

#include "widgets/video_grid/timeline.h"

namespace reelgrid::widgets {

enum class LoopMode { Off, Whole, Range };

/// The one playhead of a comparison. Pure logic: the time comes from an injected source, nothing is kept
/// per tick, so the position never drifts from it. Lives on one thread.
class PlaybackClock {
  public:
    using TimeSource = std::function<double()>;  ///< monotonic seconds

    explicit PlaybackClock(TimeSource now);

    /// Keeps the state and, as far as the new timeline reaches, the position and the A–B range.
    void setTimeline(Timeline timeline);
    [[nodiscard]] const Timeline& timeline() const { return m_timeline; }

    /// Seconds into the comparison, in [0, duration).
    [[nodiscard]] double position() const;
    [[nodiscard]] int currentStop() const { return m_timeline.stopAt(position()); }
    [[nodiscard]] bool playing() const { return m_playing; }
    [[nodiscard]] bool held() const { return m_held; }
    /// True once a playback without loop stands on the last frame for its full time.
    [[nodiscard]] bool ended() const;

    void play();  ///< from the start again when it stands at the end without a loop
    void pause();
    void seek(double seconds);
    void step(int stops);  ///< pauses, then moves by whole stops; wraps inside the loop
    void setSpeed(double factor);
    [[nodiscard]] double speed() const { return m_speed; }

    void setLoop(LoopMode mode);
    [[nodiscard]] LoopMode loop() const { return m_loop; }
    /// The A–B range, both frames included. Order does not matter. Turns LoopMode::Range on.
    void setRange(double a, double b);
    [[nodiscard]] int loopFirstStop() const;
    [[nodiscard]] int loopLastStop() const;

    /// Stops time while frames are missing: the playhead waits rather than tiles falling apart.
    void hold();
    void release();

    /// Wall seconds until the picture next changes; nothing while paused, held or without frames.
    [[nodiscard]] std::optional<double> secondsToNextStop() const;

  private:
    [[nodiscard]] double rawPosition() const;
    void anchorAt(double position);

    TimeSource m_now;
    Timeline m_timeline;
    double m_anchorTime = 0;
    double m_anchorPosition = 0;
    double m_speed = 1;
    double m_rangeA = 0;
    double m_rangeB = 0;
    LoopMode m_loop = LoopMode::Whole;
    bool m_playing = false;
    bool m_held = false;
};

}  // namespace reelgrid::widgets
