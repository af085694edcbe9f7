#pragma once

#include <QAction>
#include <QObject>
#include <functional>
#include <vector>

#include "core/session/view_state.h"

class QMenu;
class QMenuBar;

namespace reelgrid::widgets {
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class Actions;

/// The ways to look at a comparison as actions: modes, what is held against what, difference, wipe, zoom, how
/// clips are held together. Each has an id (its object name), a text, keys and a line that says what it does
/// (its status tip). GUI thread.
class LookingActions : public QObject {
    Q_OBJECT

  public:
    LookingActions(widgets::VideoGrid* grid, Actions* keys, QWidget* window);

    [[nodiscard]] QAction* find(const QString& id) const;
    void addTo(QMenuBar& menus);

  private:
    using Change = std::function<void(session::ViewState& look)>;
    using Holds = std::function<bool(const session::ViewState& look)>;
    struct Row {
        const char* id;
        QString text;
        const char* keys;
        QString does;
    };
    QAction* add(const Row& row);
    void addChange(const Row& row, Change change);
    void addChoice(const Row& row, Change change, Holds holds);
    void addModes();
    void addPair();
    void addDifference();
    void addView();
    void addPlaying();
    void shiftSelected(const session::ClipOffset& by);
    void showChecks();

    widgets::VideoGrid* m_grid;
    Actions* m_keys;
    QWidget* m_window;
    std::vector<QAction*> m_actions;  // null: a separator
    std::vector<std::pair<QAction*, Holds>> m_choices;
};

}  // namespace reelgrid::studio
