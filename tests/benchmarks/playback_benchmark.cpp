// What playing and looking take with nine clips of 832×480 and 121 frames, in the real window.
//
//     xvfb-run -a -s "-screen 0 1600x1000x24" build/release/bin/reelgrid_playback_benchmark [FOLDER
//     [play|look]]
//
// The clips are made with the ffmpeg program, once, in FOLDER (default: a folder of its own in /tmp). `play`
// or `look` is that part alone.

#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QMimeData>
#include <QMouseEvent>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QOpenGLWidget>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>

#include "app/studio/main_window.h"
#include "tests/benchmarks/nine_clips.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/theme/theme.h"

namespace reelgrid {
namespace {

namespace fs = std::filesystem;
using namespace benchmarks;

constexpr int kPlaySeconds = 60;

class Benchmark {
  public:
    Benchmark() {
        m_window.resize(1600, 1000);
        m_window.show();
        m_gl = m_window.grid().findChild<QOpenGLWidget*>();
        if (m_gl != nullptr) QObject::connect(m_gl, &QOpenGLWidget::frameSwapped, [this] { ++m_painted; });
        letRun(1500);
    }
    [[nodiscard]] QString renderer() {
        if (m_gl == nullptr || !m_gl->isValid()) return m_window.grid().surfaceName();
        m_gl->makeCurrent();
        const auto* name = m_gl->context()->functions()->glGetString(GL_RENDERER);
        const QString text = reinterpret_cast<const char*>(name);
        m_gl->doneCurrent();
        return text;
    }
    /// Milliseconds until all nine dropped clips are on screen.
    double drop(const fs::path& folder) {
        QMimeData data;
        QList<QUrl> urls;
        for (int i = 0; i < kClips; ++i)
            urls << QUrl::fromLocalFile(QString::fromStdString(clipAt(folder, i)));
        data.setUrls(urls);
        // Qt gives a drop only to whom the drag came before.
        QDragEnterEvent enter({800, 300}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_window, &enter);
        QDropEvent event(QPointF(800, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QElapsedTimer timer;
        timer.start();
        QCoreApplication::sendEvent(&m_window, &event);
        return waitFast([this] { return complete(); }) && painted() ? elapsed(timer) : NAN;
    }
    /// Milliseconds until what `act` asks for is on screen, each time.
    template <class Act>
    std::vector<double> timeOf(int times, Act act) {
        std::vector<double> milliseconds;
        for (int i = 0; i < times; ++i) {
            letRun(2);
            QElapsedTimer timer;
            timer.start();
            act(i);
            if (!waitFast([this] { return !player().waiting(); }) || !painted()) return {NAN};
            milliseconds.push_back(elapsed(timer));
        }
        return milliseconds;
    }
    void waitForCache() {
        std::size_t before = 0;
        waitUntil(
            [&] {
                const std::size_t now = player().cachedBytes();
                const bool still = now == before;
                before = now;
                letRun(1000);
                return still;
            },
            120000);
    }
    /// A click on the curves at a place by chance; nothing while they are not measured.
    void clickChart(unsigned chance) {
        for (auto* plot : m_window.coherenceChart().findChildren<QWidget*>()) {
            if (!plot->inherits("QCustomPlot") || !plot->isVisible()) continue;
            const QPointF at(plot->width() * (0.15 + 0.8 * double(chance % 1000) / 1000),
                             plot->height() / 2.0);
            QMouseEvent press(QEvent::MouseButtonPress, at, plot->mapToGlobal(at), Qt::LeftButton,
                              Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(plot, &press);
        }
    }
    bool waitForCurves() {
        return waitUntil(
            [this] {
                return std::ranges::all_of(
                    m_window.comparison().clips(), [](const studio::ComparedClip& clip) {
                        return clip.facts && clip.facts->result.metrics.frameCorrelation;
                    });
            },
            180000);
    }
    [[nodiscard]] widgets::Player& player() { return *m_window.playback().player(); }
    [[nodiscard]] studio::MainWindow& window() { return m_window; }

  private:
    [[nodiscard]] bool complete() {
        const auto& tiles = m_window.grid().scene().tiles;
        return int(tiles.size()) == kClips &&
               std::ranges::all_of(tiles, [](const auto& tile) { return tile.picture.frame != nullptr; });
    }
    static double elapsed(const QElapsedTimer& timer) { return double(timer.nsecsElapsed()) * 1e-6; }
    template <class Condition>
    static bool waitFast(Condition condition) {
        QElapsedTimer timer;
        timer.start();
        while (!condition()) {
            if (timer.elapsed() > 20000) return false;
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
        }
        return true;
    }
    bool painted() {
        if (m_gl == nullptr) {
            m_window.grid().findChild<QWidget*>()->repaint();
            return true;
        }
        const int before = m_painted;
        return waitFast([&] { return m_painted > before; });
    }

    studio::MainWindow m_window;
    QOpenGLWidget* m_gl = nullptr;
    int m_painted = 0;
};

void print(const char* what, const std::vector<double>& milliseconds) {
    std::printf("%-28s p50 %6.1f ms   p95 %6.1f ms   p99 %6.1f ms   of %zu\n", what,
                percentile(milliseconds, 0.5), percentile(milliseconds, 0.95), percentile(milliseconds, 0.99),
                milliseconds.size());
    std::fflush(stdout);
}

/// As it begins: while the clips are still being decoded and measured for the first time.
void play(Benchmark& bench) {
    bench.player().seek(0);
    bench.player().play();
    letRun(kPlaySeconds * 1000);
    std::printf("%-28s %d late, %d skipped in %d s\n", "playing", bench.player().lateTicks(),
                bench.player().skippedStops(), kPlaySeconds);
    bench.player().pause();
}

void look(Benchmark& bench) {
    bench.waitForCache();
    std::printf("%-28s %.0f of at most %.0f MB, resident %.0f MB\n", "frames",
                double(bench.player().cachedBytes()) / (1 << 20),
                double(bench.player().cacheBytes()) / (1 << 20), memoryOf("self", "VmRSS:"));
    if (!bench.waitForCurves()) std::printf("the curves were not measured in time\n");
    std::mt19937 random(5);
    print("warm seek", bench.timeOf(300, [&](int) { bench.player().seekToStop(int(random() % kFrames)); }));
    bench.player().seekToStop(60);
    print("step on", bench.timeOf(500, [&](int) { bench.player().step(1); }));
    print("step back", bench.timeOf(500, [&](int) { bench.player().step(-1); }));
    for (const auto mode : {session::ViewMode::Wipe, session::ViewMode::Difference}) {
        session::ViewState view = bench.window().grid().look();
        view.mode = mode;
        bench.window().grid().setLook(view);
        print(mode == session::ViewMode::Wipe ? "step on, wipe" : "step on, difference",
              bench.timeOf(200, [&](int) { bench.player().step(1); }));
    }
    session::ViewState grid = bench.window().grid().look();
    grid.mode = session::ViewMode::Grid;
    bench.window().grid().setLook(grid);
    print("click on the chart", bench.timeOf(200, [&](int) { bench.clickChart(unsigned(random())); }));
    bench.player().setCacheBytes(std::size_t{96} << 20);
    bench.waitForCache();
    print("cold seek, 96 MB",
          bench.timeOf(40, [&](int) { bench.player().seekToStop(int(random() % kFrames)); }));
    std::printf("%-28s %.1f of at most 96 MB\n", "frames", double(bench.player().cachedBytes()) / (1 << 20));
}

int run(const fs::path& folder, const std::string& part) {
    if (!makeClips(folder)) {
        std::fprintf(stderr, "the clips can't be made in %s: the ffmpeg program with libx264 was needed\n",
                     folder.c_str());
        return 1;
    }
    Benchmark bench;
    const double dropped = bench.drop(folder);
    if (std::isnan(dropped)) {
        std::fprintf(stderr, "the nine clips did not come on screen\n");
        return 1;
    }
    std::printf("%u cores, %s\n", std::thread::hardware_concurrency(), qPrintable(bench.renderer()));
    std::printf("%-28s %.0f ms\n", "nine dropped to first grid", dropped);
    std::fflush(stdout);
    if (part != "look") play(bench);
    if (part != "play") look(bench);
    return 0;
}

}  // namespace
}  // namespace reelgrid

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    reelgrid::widgets::applyTheme(application);
    return reelgrid::run(
        argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "reelgrid-playback-benchmark",
        argc > 2 ? argv[2] : "");
}
