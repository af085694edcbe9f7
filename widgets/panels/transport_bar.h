#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace reelgrid::widgets {

class Player;
class TimelineSlider;

/// Buttons, time bar and read-out for a Player, which must outlive it.
class TransportBar : public QWidget {
    Q_OBJECT

  public:
    explicit TransportBar(Player* player, QWidget* parent = nullptr);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QToolButton* addButton(const QString& name, const QString& toolTip);
    void showState();
    void showTimeline();
    void showPosition();
    void keepRoomForReadout();

    Player* m_player;
    TimelineSlider* m_slider;
    QToolButton* m_first;
    QToolButton* m_back;
    QToolButton* m_play;
    QToolButton* m_forward;
    QToolButton* m_last;
    QToolButton* m_loop;
    QComboBox* m_speed;
    QLabel* m_readout;
};

}  // namespace reelgrid::widgets
