#include "app/studio/notifier.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QVariantMap>
#include <QWidget>

namespace reelgrid::studio {

void notifyOfEnd(QWidget& window, const QString& title, const QString& text) {
    if (window.isActiveWindow()) return;
    QApplication::alert(&window);
    // As the freedesktop.org specification has it; nobody waits for the answer.
    constexpr const char* kService = "org.freedesktop.Notifications";
    QDBusMessage notify =
        QDBusMessage::createMethodCall(kService, "/org/freedesktop/Notifications", kService, "Notify");
    constexpr int kDesktopsOwnTime = -1;
    notify.setArguments(
        {"ReelGrid", 0U, "reelgrid", title, text, QStringList(), QVariantMap(), kDesktopsOwnTime});
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (bus.isConnected()) bus.send(notify);
}

}  // namespace reelgrid::studio
