#pragma once

#include <optional>

namespace reelgrid::widgets {

/// Where a clip is shown and how that goes on, in the clip's own time.
struct SoundPlace {
    double seconds = 0;  ///< of the clip
    double at = 0;       ///< when it was there, by the follower's clock
    bool moves = false;  ///< forwards, a second in a second; else there is nothing to be heard
    bool operator==(const SoundPlace&) const = default;
};

/// Keeps sound in step with the playhead: says where the next samples are to be taken from. Pure logic; times
/// come from its caller.
class SoundFollower {
  public:
    /// Further apart than this picture and sound are felt to be; closer, a jump would be heard instead.
    static constexpr double kMostApart = 0.045;

    enum class Do {
        Wait,  ///< nothing moves: silence
        Jump,  ///< drop what waits, and go on at `seconds`
        GoOn   ///< at `seconds`, where the last samples ended
    };
    struct Step {
        Do what = Do::Wait;
        double seconds = 0;
    };
    /// `latency`: how long what is written now takes to be heard; `latencyAfterDrop`: the same once nothing
    /// waits any more.
    [[nodiscard]] Step next(const SoundPlace& place, double now, double latency,
                            double latencyAfterDrop = 0) const;
    /// So many seconds of sound were written at the place that next() gave.
    void wrote(const Step& step, double seconds);
    /// What comes next has no place yet.
    void reset() { m_position.reset(); }

  private:
    std::optional<double> m_position;  ///< of the clip, where the last samples ended
};

}  // namespace reelgrid::widgets
