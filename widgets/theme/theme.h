#pragma once

#include <QColor>
#include <QString>

class QApplication;

namespace reelgrid::widgets {

/// The studio's colours. Dark and neutral, so that nothing competes with the pictures.
namespace theme {
inline const QColor kWindow(0x14, 0x16, 0x1b);
inline const QColor kPanel(0x1a, 0x1d, 0x23);
inline const QColor kRaised(0x24, 0x28, 0x30);
inline const QColor kLine(0x2c, 0x31, 0x3b);
inline const QColor kText(0xe4, 0xe7, 0xec);
inline const QColor kQuiet(0x93, 0x9b, 0xa9);
inline const QColor kFaint(0x5d, 0x65, 0x73);
inline const QColor kAccent(0x4f, 0x9c, 0xf9);
inline const QColor kWrong(0xff, 0x7b, 0x72);
inline const QColor kWarning(0xe0, 0xb0, 0x50);
}  // namespace theme

/// Style, palette, fonts and style sheet for the whole program.
void applyTheme(QApplication& application);

/// comparison::backendColor() for Qt.
QColor backendColor(const QString& backend);

}  // namespace reelgrid::widgets
