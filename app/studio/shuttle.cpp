#include "app/studio/shuttle.h"

#include <algorithm>

#include "widgets/video_grid/player.h"

namespace reelgrid::studio {

namespace {
constexpr double kFastest = 4;
}  // namespace

Shuttle::Shuttle(widgets::Player* player, QObject* parent) : QObject(parent), m_player(player) {
    m_back.setTimerType(Qt::PreciseTimer);
    connect(&m_back, &QTimer::timeout, this, &Shuttle::stepBack);
    connect(m_player, &widgets::Player::stateChanged, this, [this] {
        if (m_player->clock().playing()) m_back.stop();
    });
}

void Shuttle::forwards() {
    const bool wasPlaying = m_player->clock().playing();
    m_back.stop();
    m_player->setSpeed(wasPlaying ? std::min(kFastest, m_player->clock().speed() * 2) : 1);
    m_player->play();
}

void Shuttle::backwards() {
    const widgets::Timeline& timeline = m_player->clock().timeline();
    if (timeline.empty()) return;
    m_speed = m_back.isActive() ? std::min(kFastest, m_speed * 2) : 1;
    m_player->pause();
    const double frameSeconds = timeline.duration() / timeline.stopCount();
    m_back.start(std::max(1, int(frameSeconds * 1000 / m_speed)));
}

void Shuttle::stop() {
    m_back.stop();
    m_player->pause();
}

void Shuttle::stepBack() {
    if (m_player->clock().timeline().empty()) return m_back.stop();
    const bool atStart = m_player->clock().currentStop() == 0;
    if (atStart && m_player->clock().loop() == widgets::LoopMode::Off) return m_back.stop();
    if (!m_player->waiting()) m_player->step(-1);
}

}  // namespace reelgrid::studio
