#include "widgets/sound/sound_follower.h"

#include <cmath>

namespace reelgrid::widgets {

SoundFollower::Step SoundFollower::next(const SoundPlace& place, double now, double latency,
                                        double latencyAfterDrop) const {
    if (!place.moves) return {Do::Wait, 0};
    const double shown = place.seconds + (now - place.at);
    if (m_position && std::abs(*m_position - (shown + latency)) <= kMostApart) return {Do::GoOn, *m_position};
    return {Do::Jump, shown + latencyAfterDrop};
}

void SoundFollower::wrote(const Step& step, double seconds) {
    m_position = step.seconds + seconds;
}

}  // namespace reelgrid::widgets
