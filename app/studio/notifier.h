#pragma once

#include <QString>

class QWidget;

namespace reelgrid::studio {

/// What counts as long: whoever started it has gone on to something else.
inline constexpr double kLongSeconds = 10;

/// Tells the person that something long has ended, through the desktop's notifications and the window's entry
/// in the task bar; not while the window is being looked at. Where there is no such service, nothing happens.
void notifyOfEnd(QWidget& window, const QString& title, const QString& text);

}  // namespace reelgrid::studio
