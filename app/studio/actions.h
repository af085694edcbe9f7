#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <functional>
#include <map>
#include <span>
#include <vector>

class QKeyEvent;
class QMenu;
class QMenuBar;

namespace reelgrid::studio {

enum class ActionKind { Once, Toggle };

/// One thing that a person can do. The table of them (action_table.cpp) is what menus, the cheat sheet and
/// the command palette are made from.
struct ActionEntry {
    const char* id;
    const char* text;  ///< as the menu has it; translated in the context "Actions"
    const char* keys;  ///< QKeySequence's portable names between blanks; empty: none
    const char* does;  ///< what it does, one line
    ActionKind kind = ActionKind::Once;
};
std::span<const ActionEntry> actionTable();

/// The table's actions as QActions. Keys with Ctrl, Alt or of the function row work everywhere in the window;
/// plain ones ("L", "Space") are for press(), which a window calls with the keys that no focused field,
/// button or list took. GUI thread.
class Actions : public QObject {
    Q_OBJECT

  public:
    explicit Actions(QWidget* window);

    /// The action with this id, which must be in the table.
    [[nodiscard]] QAction* operator[](const char* id) const;
    void onTriggered(const char* id, std::function<void()> run);
    void onToggled(const char* id, std::function<void(bool)> run);
    /// Gives an action that isn't in the table its keys; names between blanks, as ActionEntry has them.
    void setKeys(QAction* action, const char* keys);
    /// Triggers the enabled action that this plain key belongs to. False when it is no action's.
    bool press(const QKeyEvent& event);

  Q_SIGNALS:
    /// Whichever of them.
    void triggered();

  private:
    std::map<std::string, QAction*> m_actions;
    std::map<int, QAction*> m_plainKeys;
};

/// An action's keys, plain ones too, as a person reads them: "Right, .".
QString keysText(const QAction& action);
/// Its text without the mark of its letter and without keys.
QString plainText(const QAction& action);

/// An action and where in the menus it is.
struct MenuPlace {
    QString menu;  ///< "View", "View › Theme"
    QAction* action = nullptr;
};
/// Everything that can be triggered from the menus, in their order.
std::vector<MenuPlace> actionsIn(const QMenuBar& menus);

}  // namespace reelgrid::studio
