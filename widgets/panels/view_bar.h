#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "core/session/view_state.h"

class QComboBox;
class QDoubleSpinBox;
class QHBoxLayout;
class QPushButton;
class QSlider;
class QSpinBox;
class QToolButton;

namespace reelgrid::widgets {

class Player;
class VideoGrid;

/// Above the grid: how it is looked at, what is held against what, how clips are held together, and how much
/// memory their frames take. Of a mode's settings only those of the mode that is on are shown. GUI thread.
class ViewBar : public QWidget {
    Q_OBJECT

  public:
    ViewBar(VideoGrid* grid, Player* player, QWidget* parent = nullptr);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    using Edit = std::function<void(session::ViewState& look)>;
    void change(const Edit& edit);
    void addModes(QHBoxLayout& row);
    void addPair(QHBoxLayout& row);
    void addDifference(QHBoxLayout& row);
    void addTwoPictures(QHBoxLayout& row);
    void addPlaying(QHBoxLayout& row);
    void addMemory(QHBoxLayout& row);
    void showTiles();
    void showLook();
    void showOffset();
    void showMemory();
    void fit();

    VideoGrid* m_grid;
    Player* m_player;
    std::vector<QPushButton*> m_modes;
    QComboBox* m_mode = nullptr;  // instead of the buttons where there is no room for them
    QComboBox* m_reference = nullptr;
    QComboBox* m_other = nullptr;
    QComboBox* m_kind = nullptr;
    QDoubleSpinBox* m_gain = nullptr;
    QDoubleSpinBox* m_angle = nullptr;
    QSlider* m_opacity = nullptr;
    QDoubleSpinBox* m_rate = nullptr;
    QComboBox* m_sync = nullptr;
    QSpinBox* m_frames = nullptr;
    QSpinBox* m_milliseconds = nullptr;
    QToolButton* m_memory = nullptr;
    bool m_showing = false;  // the widgets are being set, not used
};

}  // namespace reelgrid::widgets
