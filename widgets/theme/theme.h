#pragma once

#include <QColor>
#include <QObject>
#include <QString>

class QApplication;

namespace reelgrid::comparison {
struct Rgb;
}  // namespace reelgrid::comparison

namespace reelgrid::widgets {

enum class Theme { Dark, Light };

/// The colours of the theme in force, dark and neutral at first, so that nothing competes with the pictures.
/// What is painted with them follows a change; what keeps a copy listens to ThemeWatch.
namespace theme {
inline QColor kWindow;
inline QColor kPanel;
inline QColor kRaised;
inline QColor kHover;
inline QColor kLine;
inline QColor kText;
inline QColor kQuiet;
inline QColor kFaint;
inline QColor kAccent;
inline QColor kOnAccent;  ///< text on a surface of the accent
inline QColor kWrong;
inline QColor kWarning;

[[nodiscard]] Theme current();
/// `color` itself where it is one of the above, else null.
[[nodiscard]] const QColor* ownColor(const QColor& color);
/// The colour now in the place of one that either theme has; any other as it is.
[[nodiscard]] QColor followed(const QColor& color);
/// Text of `pixels` in a window of normal text, as large as text is now.
[[nodiscard]] int scaled(int pixels);
}  // namespace theme

/// Style, palette, fonts and style sheet for the whole program; again for another theme or text size.
/// `textPercent` is of the normal size.
void applyTheme(QApplication& application, Theme theme = Theme::Dark, int textPercent = 100);

/// Tells of a change of theme or text size, after it. GUI thread.
class ThemeWatch : public QObject {
    Q_OBJECT

  public:
    explicit ThemeWatch(QObject* parent);

  Q_SIGNALS:
    void changed();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

/// comparison::backendColor() for Qt, dark enough to be seen on a light panel where the theme is light.
QColor backendColor(const QString& backend);
/// That of comparison::colorBeside() likewise.
QColor onPanel(const comparison::Rgb& color);

}  // namespace reelgrid::widgets
