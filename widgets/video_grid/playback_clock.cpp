#include "widgets/video_grid/playback_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reelgrid::widgets {

namespace {
constexpr double kSlowest = 0.1;
constexpr double kFastest = 4.0;
}  // namespace

PlaybackClock::PlaybackClock(TimeSource now) : m_now(std::move(now)) {}

void PlaybackClock::setTimeline(Timeline timeline) {
    const double kept = position();
    m_timeline = std::move(timeline);
    anchorAt(kept);
}

double PlaybackClock::rawPosition() const {
    if (!m_playing || m_held) return m_anchorPosition;
    return m_anchorPosition + (m_now() - m_anchorTime) * m_speed;
}

double PlaybackClock::position() const {
    if (m_timeline.empty()) return 0;
    const double raw = rawPosition();
    const double last = m_timeline.stop(m_timeline.stopCount() - 1);
    if (!m_playing) return std::clamp(raw, 0.0, m_timeline.duration());
    if (m_loop == LoopMode::Off) return raw < m_timeline.duration() ? raw : last;
    const double start = m_timeline.stop(loopFirstStop());
    const double end = m_timeline.endOfStop(loopLastStop());
    if (raw < end) return raw;
    return start + std::fmod(raw - start, end - start);
}

bool PlaybackClock::ended() const {
    return m_playing && m_loop == LoopMode::Off && rawPosition() >= m_timeline.duration();
}

void PlaybackClock::anchorAt(double position) {
    const double end = m_timeline.empty() ? 0 : m_timeline.stop(m_timeline.stopCount() - 1);
    // Beyond the last stop only playing time leads; a seek there means the last frame.
    const bool inside = m_playing && position < m_timeline.duration();
    m_anchorPosition = inside ? std::max(position, 0.0) : std::clamp(position, 0.0, end);
    m_anchorTime = m_now();
}

void PlaybackClock::play() {
    if (m_playing) return;
    const bool atLast = !m_timeline.empty() && currentStop() == m_timeline.stopCount() - 1;
    anchorAt(m_loop == LoopMode::Off && atLast ? 0 : position());
    m_playing = true;
}

void PlaybackClock::pause() {
    if (!m_playing) return;
    const double here = position();
    m_playing = false;
    m_held = false;
    anchorAt(here);
}

void PlaybackClock::seek(double seconds) {
    anchorAt(std::isfinite(seconds) ? seconds : 0);
}

void PlaybackClock::step(int stops) {
    pause();
    if (m_timeline.empty()) return;
    const int here = currentStop();
    int first = 0;
    int last = m_timeline.stopCount() - 1;
    if (m_loop != LoopMode::Off && here >= loopFirstStop() && here <= loopLastStop()) {
        first = loopFirstStop();
        last = loopLastStop();
    }
    const int count = last - first + 1;
    int target = here + stops;
    if (m_loop == LoopMode::Off)
        target = std::clamp(target, first, last);
    else
        target = first + ((target - first) % count + count) % count;
    anchorAt(m_timeline.stop(target));
}

void PlaybackClock::setSpeed(double factor) {
    const double here = position();
    m_speed = std::clamp(factor, kSlowest, kFastest);
    anchorAt(here);
}

void PlaybackClock::setLoop(LoopMode mode) {
    const double here = position();
    m_loop = mode;
    anchorAt(here);
}

void PlaybackClock::setRange(double a, double b) {
    m_rangeA = std::min(a, b);
    m_rangeB = std::max(a, b);
    setLoop(LoopMode::Range);
}

int PlaybackClock::loopFirstStop() const {
    return m_loop == LoopMode::Range ? m_timeline.stopAt(m_rangeA) : 0;
}

int PlaybackClock::loopLastStop() const {
    if (m_loop == LoopMode::Range) return m_timeline.stopAt(m_rangeB);
    return std::max(0, m_timeline.stopCount() - 1);
}

void PlaybackClock::hold() {
    if (m_held || !m_playing) return;
    anchorAt(position());
    m_held = true;
}

void PlaybackClock::release() {
    if (!m_held) return;
    m_held = false;
    m_anchorTime = m_now();
}

std::optional<double> PlaybackClock::secondsToNextStop() const {
    if (!m_playing || m_held || m_timeline.empty()) return std::nullopt;
    const double here = position();
    return std::max(0.0, (m_timeline.endOfStop(m_timeline.stopAt(here)) - here) / m_speed);
}

}  // namespace reelgrid::widgets
