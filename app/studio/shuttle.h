#pragma once

#include <QObject>
#include <QTimer>

namespace reelgrid::widgets {
class Player;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// J, K and L: backwards, stop, forwards, each press of the same one twice as fast, to 4×. Backwards goes
/// frame by frame and never ahead of the decoder. GUI thread.
class Shuttle : public QObject {
    Q_OBJECT

  public:
    explicit Shuttle(widgets::Player* player, QObject* parent = nullptr);

    void forwards();
    void backwards();
    /// And pauses the player.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_back.isActive(); }  ///< backwards

  private:
    void stepBack();

    widgets::Player* m_player;
    QTimer m_back;
    double m_speed = 1;  // backwards
};

}  // namespace reelgrid::studio
