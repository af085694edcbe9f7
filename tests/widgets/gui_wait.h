#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThread>

namespace reelgrid {

/// Lets the program's events run until `condition` holds; false when it doesn't within the time.
template <class Condition>
bool waitUntil(Condition condition, int milliseconds = 20000) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > milliseconds) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QThread::usleep(500);
    }
    return true;
}

inline void letRun(int milliseconds) {
    waitUntil([] { return false; }, milliseconds);
}

}  // namespace reelgrid
