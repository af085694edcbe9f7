#include "app/studio/bare_display.h"

#include <QApplication>
#include <QTimer>
#include <QWidget>

namespace reelgrid::studio {

namespace {

bool takesKeys(const QWidget& window) {
    const Qt::WindowType type = window.windowType();
    return type == Qt::Window || type == Qt::Dialog;
}

void activateLater(QWidget* window) {
    // Once it is on the screen: before that there is nothing to give the keyboard to.
    constexpr int kMilliseconds = 50;
    QTimer::singleShot(kMilliseconds, window, [window] {
        if (window->isVisible()) window->activateWindow();
    });
}

}  // namespace

BareDisplay::BareDisplay(QObject* parent) : QObject(parent) {
    if (isBare()) qApp->installEventFilter(this);
}

bool BareDisplay::isBare() {
    static const bool bare = QGuiApplication::platformName() == "xcb" &&
                             qEnvironmentVariableIsEmpty("XDG_CURRENT_DESKTOP") &&
                             qEnvironmentVariableIsEmpty("DESKTOP_SESSION");
    return bare;
}

bool BareDisplay::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Show && event->type() != QEvent::Hide) return false;
    if (!watched->isWidgetType()) return false;
    auto* window = static_cast<QWidget*>(watched);
    if (!window->isWindow() || !takesKeys(*window)) return false;
    if (event->type() == QEvent::Show)
        activateLater(window);
    else if (window->parentWidget() != nullptr)
        activateLater(window->parentWidget()->window());
    return false;
}

}  // namespace reelgrid::studio
