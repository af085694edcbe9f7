// How long the studio takes from the start of its process to its first picture on screen, and its memory.
//
//     xvfb-run -a -s "-screen 0 1600x1000x24" build/release/bin/reelgrid_start_benchmark [CLIP or SESSION…]
//
// Needs an otherwise empty display without a window manager's effects; settings and data are new ones each
// time.

#include <QDir>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QImage>
#include <QPixmap>
#include <QProcess>
#include <QScreen>
#include <QTemporaryDir>
#include <QThread>
#include <cstdio>

#include "tests/benchmarks/nine_clips.h"

namespace reelgrid::benchmarks {
namespace {

constexpr int kStarts = 15;
constexpr int kLongest = 20000;  // milliseconds

/// A strip across its middle: all of it would keep the display busy.
QImage screenNow() {
    QScreen& screen = *QGuiApplication::primaryScreen();
    const QSize size = screen.size();
    return screen.grabWindow(0, 0, size.height() / 2, size.width(), 4).toImage();
}

/// Milliseconds from the start until anything is seen; then the process is given `seconds` and measured.
struct Start {
    double milliseconds = -1;
    double resident = 0, peak = 0;
};

Start startOnce(const QStringList& arguments, int seconds) {
    const QTemporaryDir home;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("HOME", home.path());
    for (const char* place : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
        environment.insert(place, home.filePath(place));
    QProcess studio;
    studio.setProcessEnvironment(environment);
    const QImage before = screenNow();
    QElapsedTimer timer;
    timer.start();
    studio.start(QCoreApplication::applicationDirPath() + "/reelgrid", arguments);
    Start start;
    while (timer.elapsed() < kLongest) {
        if (screenNow() != before) {
            start.milliseconds = double(timer.nsecsElapsed()) * 1e-6;
            break;
        }
        QThread::msleep(1);
    }
    if (start.milliseconds >= 0) QThread::sleep(unsigned(seconds));
    const std::string process = std::to_string(studio.processId());
    start.resident = memoryOf(process, "VmRSS:");
    start.peak = memoryOf(process, "VmHWM:");
    studio.terminate();
    studio.waitForFinished();
    // The display is empty again before the next one.
    for (QElapsedTimer gone; !gone.isValid() || gone.elapsed() < 2000;) {
        if (!gone.isValid()) gone.start();
        if (screenNow() == before) break;
        QThread::msleep(10);
    }
    return start;
}

int run(const QStringList& arguments) {
    std::vector<double> times;
    Start last;
    for (int i = 0; i < kStarts; ++i) {
        last = startOnce(arguments, i + 1 < kStarts ? 0 : 8);
        if (last.milliseconds < 0) {
            std::fprintf(stderr, "the studio showed nothing within %d s\n", kLongest / 1000);
            return 1;
        }
        times.push_back(last.milliseconds);
    }
    std::printf("process start to first picture  p50 %.0f ms   p95 %.0f ms   of %d starts\n",
                percentile(times, 0.5), percentile(times, 0.95), kStarts);
    std::printf("after 8 s                       resident %.0f MB, peak %.0f MB\n", last.resident, last.peak);
    return 0;
}

}  // namespace
}  // namespace reelgrid::benchmarks

int main(int argc, char** argv) {
    const QGuiApplication application(argc, argv);
    return reelgrid::benchmarks::run(QCoreApplication::arguments().mid(1));
}
