#pragma once

class QMenuBar;
class QWidget;

namespace reelgrid::studio {

/// Shows every key of the menus' actions, menu by menu, and what the mouse does.
void showCheatSheet(const QMenuBar& menus, QWidget* parent);

}  // namespace reelgrid::studio
