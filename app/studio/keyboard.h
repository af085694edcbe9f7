#pragma once

class QKeyEvent;

namespace reelgrid::widgets {
class Player;
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// The keys of mpv, for a comparison. They reach here only when no text field takes them.
class Keyboard {
  public:
    Keyboard(widgets::Player* player, widgets::VideoGrid* grid) : m_player(player), m_grid(grid) {}
    /// True when the key meant something.
    bool press(const QKeyEvent& event);
    /// What Help › Keys shows, one "key<tab>meaning" a line.
    static const char* description();

  private:
    bool pressTransport(const QKeyEvent& event);
    void cycleRange();

    widgets::Player* m_player;
    widgets::VideoGrid* m_grid;
    double m_rangeStart = -1;  // A, once marked
};

}  // namespace reelgrid::studio
