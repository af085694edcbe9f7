#include "app/studio/keyboard.h"

#include <QKeyEvent>

#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

namespace {
constexpr double kArrowSeconds = 1.0;
constexpr double kShiftArrowSeconds = 5.0;
constexpr double kSpeedStep = 1.1;
}  // namespace

const char* Keyboard::description() {
    return "Space\tplay or pause\n"
           ". and ,\tone frame forward, back\n"
           "← and →\tone second back, forward (Shift: five)\n"
           "Home, End\tfirst, last frame\n"
           "L\tmark A, then B, then no range again\n"
           "Shift+L\trepeat the whole comparison, or don’t\n"
           "[ and ]\tslower, faster (Backspace: normal speed)\n"
           "1 … 9\tshow one tile alone (again: all)\n"
           "0, Esc\tshow all tiles, whole pictures\n"
           "F\tfull screen\n"
           "wheel, drag\tzoom and move all pictures together\n"
           "double click\tshow a tile alone, or all again";
}

void Keyboard::cycleRange() {
    const double here = m_player->composition().seconds;
    if (m_player->clock().loop() == widgets::LoopMode::Range) {
        m_player->setLoop(widgets::LoopMode::Whole);
        m_rangeStart = -1;
    } else if (m_rangeStart < 0) {
        m_rangeStart = here;
    } else {
        m_player->setRange(m_rangeStart, here);
        m_rangeStart = -1;
    }
}

bool Keyboard::pressTransport(const QKeyEvent& event) {
    const bool shift = event.modifiers() & Qt::ShiftModifier;
    const double jump = shift ? kShiftArrowSeconds : kArrowSeconds;
    const double here = m_player->composition().seconds;
    const widgets::PlaybackClock& clock = m_player->clock();
    switch (event.key()) {
        case Qt::Key_Space:
            m_player->togglePlay();
            return true;
        case Qt::Key_Period:
            m_player->step(1);
            return true;
        case Qt::Key_Comma:
            m_player->step(-1);
            return true;
        case Qt::Key_Left:
            m_player->seek(here - jump);
            return true;
        case Qt::Key_Right:
            m_player->seek(here + jump);
            return true;
        case Qt::Key_Home:
            m_player->seekToStop(0);
            return true;
        case Qt::Key_End:
            m_player->seekToStop(clock.timeline().stopCount() - 1);
            return true;
        case Qt::Key_BracketLeft:
            m_player->setSpeed(clock.speed() / kSpeedStep);
            return true;
        case Qt::Key_BracketRight:
            m_player->setSpeed(clock.speed() * kSpeedStep);
            return true;
        case Qt::Key_Backspace:
            m_player->setSpeed(1);
            return true;
        case Qt::Key_L:
            if (shift)
                m_player->setLoop(clock.loop() == widgets::LoopMode::Off ? widgets::LoopMode::Whole
                                                                         : widgets::LoopMode::Off);
            else
                cycleRange();
            return true;
        default:
            return false;
    }
}

bool Keyboard::press(const QKeyEvent& event) {
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
    if (pressTransport(event)) return true;
    if (event.key() >= Qt::Key_1 && event.key() <= Qt::Key_9) {
        const int tile = event.key() - Qt::Key_1;
        if (tile < m_grid->tileCount()) m_grid->showAlone(m_grid->solo() == tile ? -1 : tile);
        return true;
    }
    if (event.key() == Qt::Key_0 || event.key() == Qt::Key_Escape) {
        m_grid->showAlone(-1);
        m_grid->resetZoom();
        return true;
    }
    return false;
}

}  // namespace reelgrid::studio
