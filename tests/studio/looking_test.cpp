#include <QAction>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QTest>
#include <random>

#include "core/media/rgb.h"
#include "tests/studio/window_fixture.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/timing_chart.h"
#include "widgets/video_grid/difference.h"
#include "widgets/video_grid/grid_overlay.h"

namespace reelgrid::studio {
namespace {

using session::ViewMode;

class LookingTest : public WindowTest {
  protected:
    void open(const std::vector<fs::path>& files) {
        m_window.sessions().open(files);
        ASSERT_TRUE(waitUntil([&] { return clips().size() == files.size() && allShown(); }));
        player().pause();
        player().seekToStop(0);
        ASSERT_TRUE(waitUntil([&] { return !player().waiting(); }));
    }
    [[nodiscard]] bool allShown() {
        const auto& tiles = player().composition().tiles;
        return tiles.size() == clips().size() &&
               std::ranges::all_of(tiles, [](const auto& tile) { return tile.frame != nullptr; }) &&
               !player().waiting();
    }
    void trigger(const char* id) {
        QAction* action = m_window.looking().find(id);
        ASSERT_NE(action, nullptr) << id;
        action->trigger();
    }
    /// In the middle of a tile's picture, on screen.
    QColor colorOf(int tile) {
        const QImage shown = m_window.grid().snapshot();
        for (const auto& placed : m_window.grid().scene().place(shown.size(), 1))
            if (placed.tile == tile)
                return shown.pixelColor(placed.picture.x + placed.picture.width / 2,
                                        placed.picture.y + placed.picture.height / 2);
        return {};
    }
    [[nodiscard]] int frameOf(int tile) { return player().composition().tiles[std::size_t(tile)].frameIndex; }
};

TEST_F(LookingTest, ActionsChangeTheModeAndSayWhichIsOn) {
    open({writeClip("a.mp4"), writeClip("b.mp4")});
    const std::pair<const char*, ViewMode> modes[] = {{"look-wipe", ViewMode::Wipe},
                                                      {"look-difference", ViewMode::Difference},
                                                      {"look-onion-skin", ViewMode::OnionSkin},
                                                      {"look-flicker", ViewMode::Flicker},
                                                      {"look-grid", ViewMode::Grid}};
    for (const auto& [id, mode] : modes) {
        trigger(id);
        EXPECT_EQ(m_window.grid().look().mode, mode);
        for (const auto& [other, otherMode] : modes)
            EXPECT_EQ(m_window.looking().find(other)->isChecked(), mode == otherMode) << other;
    }
}

TEST_F(LookingTest, AShiftedClipDiffersByItsShiftInTheHeatMap) {
    open({writeClip("a.mp4"), writeClip("b.mp4")});
    m_window.grid().select(1);
    trigger("offset-frame-on");
    trigger("offset-frame-on");
    ASSERT_TRUE(waitUntil([&] { return !player().waiting(); }));
    EXPECT_EQ(frameOf(0), 0);
    EXPECT_EQ(frameOf(1), 2);
    trigger("difference-absolute");
    EXPECT_NEAR(colorOf(0).red(), brightnessOf(0), 2);
    EXPECT_NEAR(colorOf(1).red(), brightnessOf(2) - brightnessOf(0), 3);
    trigger("difference-heat");
    const int shown = brightnessOf(2) - brightnessOf(0);
    session::ViewState look = m_window.grid().look();
    look.gain = 2;
    m_window.grid().setLook(look);
    const QColor due(widgets::heatColor(2.0 * shown / 255));
    EXPECT_NEAR(colorOf(1).red(), due.red(), 12);
    EXPECT_NEAR(colorOf(1).green(), due.green(), 12);
    // The reference is another one now: the first tile shows the difference.
    trigger("look-reference");
    EXPECT_NEAR(colorOf(1).red(), brightnessOf(2), 2);
    EXPECT_NEAR(colorOf(0).red(), due.red(), 12);
}

TEST_F(LookingTest, AShiftKeepsWhatWasDecoded) {
    open({writeClip("a.mp4", 12), writeClip("b.mp4", 12)});
    ASSERT_TRUE(waitUntil([&] { return player().cachedBytes() == std::size_t(2 * 12 * 32 * 32 * 3 / 2); }));
    const std::size_t before = player().cachedBytes();
    m_window.grid().select(1);
    for (const char* shift : {"offset-frame-on", "offset-time-on", "offset-frame-back", "offset-time-back"}) {
        trigger(shift);
        EXPECT_FALSE(player().waiting()) << shift;
        EXPECT_EQ(player().cachedBytes(), before) << shift;
    }
}

TEST_F(LookingTest, ByFrameNumberClipsOfTwoRatesShowTheSameFrame) {
    const fs::path slow = writeClip("slow.mp4");
    media::RgbVideo video;
    video.width = video.height = 32;
    video.fps = {24, 1};
    for (int frame = 0; frame < 9; ++frame)
        video.pixels.insert(video.pixels.end(), video.frameBytes(), std::uint8_t(brightnessOf(frame)));
    ASSERT_TRUE(media::writeClip(m_folder / "fast.mp4", video));
    open({slow, m_folder / "fast.mp4"});
    trigger("sync-index");
    EXPECT_EQ(player().clock().timeline().stopCount(), 9);
    for (int frame = 0; frame < 9; ++frame) {
        ASSERT_TRUE(waitUntil([&] { return !player().waiting(); }));
        EXPECT_EQ(frameOf(0), frame);
        EXPECT_EQ(frameOf(1), frame);
        EXPECT_NEAR(colorOf(0).red(), brightnessOf(frame), 3);
        EXPECT_NEAR(colorOf(1).red(), brightnessOf(frame), 3);
        player().step(1);
    }
    trigger("sync-index");
    player().seek(0.25);
    ASSERT_TRUE(waitUntil([&] { return !player().waiting(); }));
    EXPECT_EQ(frameOf(0), 4);
    EXPECT_EQ(frameOf(1), 6);
}

TEST_F(LookingTest, StepsOfTenAndTheEndsAreExact) {
    open({writeClip("a.mp4", 12), writeClip("b.mp4", 12)});
    m_window.actions()["ten-on"]->trigger();
    ASSERT_TRUE(waitUntil([&] { return !player().waiting(); }));
    EXPECT_EQ(frameOf(0), 10);
    m_window.actions()["ten-back"]->trigger();
    ASSERT_TRUE(waitUntil([&] { return !player().waiting(); }));
    EXPECT_EQ(frameOf(1), 0);
    player().seekToStop(11);
    ASSERT_TRUE(waitUntil([&] { return !player().waiting(); }));
    EXPECT_EQ(frameOf(0), 11);
    EXPECT_NEAR(colorOf(1).red(), brightnessOf(11), 3);
}

TEST_F(LookingTest, ATileDraggedToAnothersPlaceChangesTheOrder) {
    open({writeClip("a.mp4"), writeClip("b.mp4"), writeClip("c.mp4")});
    const auto placed = m_window.grid().scene().place(m_window.grid().size(), 1);
    const auto middle = [&](std::size_t tile) {
        return QPoint(placed[tile].cell.x + placed[tile].cell.width / 2,
                      placed[tile].cell.y + placed[tile].cell.height / 2);
    };
    QTest::mousePress(&m_window.grid(), Qt::LeftButton, {}, middle(0));
    for (const QPoint at : {(middle(0) + middle(2)) / 2, middle(2)}) {
        QMouseEvent move(QEvent::MouseMove, QPointF(at), m_window.grid().mapToGlobal(QPointF(at)),
                         Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&m_window.grid(), &move);
    }
    QTest::mouseRelease(&m_window.grid(), Qt::LeftButton, {}, middle(2));
    ASSERT_EQ(clips().size(), 3U);
    EXPECT_EQ(clips()[0].label, "b");
    EXPECT_EQ(clips()[1].label, "c");
    EXPECT_EQ(clips()[2].label, "a");
    EXPECT_EQ(m_window.grid().scene().tiles[2].what.label, "a");
    EXPECT_EQ(m_window.grid().selected(), 2);
}

TEST_F(LookingTest, AClipThatIsDeletedOrCutShortWhileOpenStallsNobody) {
    const fs::path whole = writeClip("whole.mp4", 120);
    // Larger than what is read ahead of a file.
    media::RgbVideo noise;
    noise.width = noise.height = 128;
    std::mt19937 random(1);
    for (std::size_t i = 0; i < 120 * noise.frameBytes(); ++i) noise.pixels.push_back(std::uint8_t(random()));
    const fs::path cut = m_folder / "cut.mp4";
    ASSERT_TRUE(media::writeClip(cut, noise));
    const fs::path deleted = writeClip("deleted.mp4", 120);
    open({whole, cut, deleted});
    // Of the two only what was decoded by then, or is in the open file, can still be shown.
    player().setCacheBytes(3 * 6 * 32 * 32 * 3 / 2);
    ASSERT_GT(fs::file_size(cut), 300000U);
    fs::resize_file(cut, fs::file_size(cut) / 3);
    fs::remove(deleted);
    bool said = false;
    for (const int stop : {100, 60, 3, 119, 80, 0}) {
        player().seekToStop(stop);
        ASSERT_TRUE(waitUntil([&] { return !player().waiting(); })) << "stop " << stop;
        const auto& tiles = player().composition().tiles;
        EXPECT_EQ(tiles[0].frameIndex, stop);
        ASSERT_NE(tiles[0].frame, nullptr);
        EXPECT_NE(tiles[2].frame, nullptr) << "the open file goes on";
        EXPECT_TRUE(tiles[1].frame != nullptr || tiles[1].message.contains("cut.mp4"));
        said |= !tiles[1].message.isEmpty();
        EXPECT_NEAR(colorOf(0).red(), std::min(255, brightnessOf(stop) % 256), 4);
    }
    EXPECT_TRUE(said);
}

TEST_F(LookingTest, NothingBesideThePictureTakesTheArrowKeysAtTheStart) {
    ASSERT_NE(m_window.focusWidget(), nullptr);
    EXPECT_TRUE(m_window.focusWidget()->isVisible()) << "else the first field that is gets the keys";
    for (const auto* area : m_window.findChildren<QScrollArea*>())
        EXPECT_EQ(area->focusPolicy() & Qt::ClickFocus, 0) << area->parent()->metaObject()->className();
}

TEST_F(LookingTest, TheScaleOfTheHeatMapCoversNoLabel) {
    open({writeClip("a.mp4"), writeClip("b.mp4"), writeClip("c.mp4")});
    trigger("look-difference");
    session::ViewState look = m_window.grid().look();
    look.difference = session::DifferenceKind::HeatMap;
    m_window.grid().setLook(look);
    widgets::GridOverlay overlay;
    for (const int width : {600, 900, 1800}) {
        const auto& scene = m_window.grid().scene();
        const auto items = overlay.items(scene, scene.place(QSize(width, 400), 1), 1);
        for (std::size_t i = 0; i < items.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                EXPECT_FALSE(QRect(items[i].at, items[i].image.size())
                                 .intersects(QRect(items[k].at, items[k].image.size())))
                    << width << ": " << i << " over " << k;
    }
}

TEST_F(LookingTest, ArrowKeysStepWhateverWasClicked) {
    open({writeClip("a.mp4"), writeClip("b.mp4")});
    ASSERT_EQ(m_window.focusWidget(), &m_window.grid());
    const auto step = [&](int expected) {
        QTest::keyClick(m_window.focusWidget(), Qt::Key_Right);
        EXPECT_TRUE(waitUntil([&] { return player().clock().currentStop() == expected; })) << expected;
    };
    step(1);
    int stop = 1;
    for (auto* button : m_window.timingChart().findChildren<QPushButton*>()) {
        if (!button->isVisible()) continue;
        QTest::mouseClick(button, Qt::LeftButton);
        step(++stop);
    }
    EXPECT_GT(stop, 3);
}

TEST_F(LookingTest, ChartsFollowAShiftOfTheirClip) {
    open({writeClip("a.mp4"), writeClip("b.mp4")});
    const auto timesOf = [&](std::size_t clip) {
        const auto& curves = m_window.coherenceChart().curves();
        return clip < curves.size() ? curves[clip].frameSeconds : std::vector<double>{};
    };
    ASSERT_TRUE(waitUntil([&] { return timesOf(1).size() == 9; }));
    EXPECT_EQ(timesOf(1), timesOf(0));
    m_window.grid().select(1);
    trigger("offset-frame-on");
    trigger("offset-frame-on");
    ASSERT_TRUE(waitUntil([&] { return std::abs(timesOf(1)[0] + 2 / 16.0) < 1e-6; }));
    for (std::size_t frame = 0; frame < 9; ++frame) {
        EXPECT_NEAR(timesOf(0)[frame], double(frame) / 16, 1e-6);
        EXPECT_NEAR(timesOf(1)[frame], (double(frame) - 2) / 16, 1e-6);
    }
    m_window.coherenceChart().setView(widgets::CoherenceChart::View::Frames);
    const auto& strips = m_window.coherenceChart().strip().strips();
    ASSERT_TRUE(waitUntil([&] {
        return strips.size() == 2 && strips[0].pictures.size() == 9 && strips[1].pictures.size() == 9;
    }));
    EXPECT_NEAR(strips[0].pictures[4].seconds, 4 / 16.0, 1e-6);
    EXPECT_NEAR(strips[1].pictures[4].seconds, 2 / 16.0, 1e-6);
}

TEST_F(LookingTest, WhatIsSeenIsWrittenAsItIsSeen) {
    open({writeClip("a.mp4"), writeClip("b.mp4")});
    m_window.grid().select(1);
    trigger("offset-frame-on");
    trigger("offset-frame-on");
    trigger("difference-absolute");
    int frames = -1;
    QObject::connect(&m_window.gridExport(), &GridExport::finished,
                     [&](const QString&, const QString&, int count) { frames = count; });
    for (const char* name : {"seen.mp4", "seen.webm", "seen.gif"}) {
        frames = -1;
        const SeenView seen = m_window.playback().seenView();
        const QSize size = seen.pixels;
        m_window.exports().startView(seen, m_folder / name);
        ASSERT_TRUE(waitUntil([&] { return frames >= 0; }, 60000)) << name;
        ASSERT_EQ(frames, 9) << name;
        const auto written = media::readRgb(m_folder / name);
        ASSERT_TRUE(written) << written.error().message;
        ASSERT_EQ(written->frameCount(), 9) << name;
        EXPECT_NEAR(written->width, size.width(), 1);
        const auto placed = m_window.grid().scene().place(size, 1);
        const auto codeAt = [&](int frame, std::size_t tile) {
            const auto& picture = placed[tile].picture;
            const int x = picture.x + picture.width / 2;
            const int y = picture.y + picture.height / 2;
            return int(written->frame(frame)[std::size_t((y * written->width + x) * 3)]);
        };
        for (int frame = 0; frame < 9; ++frame) {
            EXPECT_NEAR(codeAt(frame, 0), brightnessOf(frame), 8) << name << " " << frame;
            EXPECT_NEAR(codeAt(frame, 1), brightnessOf(std::min(8, frame + 2)) - brightnessOf(frame), 10)
                << name << " " << frame;
        }
    }
}

TEST_F(LookingTest, ChartsAreWrittenBelowWhatIsSeenWithAPlayheadThatRuns) {
    m_window.resize(1400, 900);
    open({writeClip("a.mp4"), writeClip("b.mp4")});
    // Of frames of one colour each there is no correlation.
    m_window.coherenceChart().setMeasure(metrics::kMeasures[1]);
    ASSERT_TRUE(waitUntil([&] {
        const auto& curves = m_window.coherenceChart().curves();
        return curves.size() == 2 && curves[0].metrics.flickering && curves[1].metrics.flickering;
    }));
    for (const auto view : {widgets::CoherenceChart::View::Curves, widgets::CoherenceChart::View::Frames}) {
        m_window.coherenceChart().setView(view);
        if (view == widgets::CoherenceChart::View::Frames) {
            ASSERT_TRUE(waitUntil([&] {
                const auto& strips = m_window.coherenceChart().strip().strips();
                return strips.size() == 2 && !strips[0].pictures.empty() && !strips[1].pictures.empty();
            }));
        }
        SeenView seen = m_window.playback().seenView();
        seen.addCharts({&m_window.timingChart(), &m_window.coherenceChart()});
        ASSERT_EQ(seen.charts.size(), 2U);
        EXPECT_EQ(seen.size().width(), seen.pixels.width());
        EXPECT_GT(seen.size().height(), seen.pixels.height() + 100);
        const SeenView::Chart& chart = seen.charts[1];
        EXPECT_LE(chart.at.x() + chart.chart.image.width(), seen.pixels.width() + 1);
        ASSERT_FALSE(chart.chart.time.isEmpty());
        int frames = -1;
        QObject watch;
        QObject::connect(&m_window.gridExport(), &GridExport::finished, &watch,
                         [&](const QString&, const QString&, int count) { frames = count; });
        m_window.exports().startView(seen, m_folder / "charts.mp4");
        ASSERT_TRUE(waitUntil([&] { return frames >= 0; }, 60000));
        const auto written = media::readRgb(m_folder / "charts.mp4");
        ASSERT_TRUE(written) << written.error().message;
        EXPECT_NEAR(written->height, seen.size().height(), 1);
        const QImage& still = chart.chart.image;
        const QRectF& time = chart.chart.time;
        // How far the column of a time, in the chart's upper part, is from the chart without a playhead.
        const auto changeAt = [&](int frame, double seconds) {
            const int x = int(time.left() + seconds / chart.chart.duration * time.width());
            int most = 0;
            for (int y = int(time.top()) + 2; y < int(time.top()) + 12; ++y) {
                const auto at = std::size_t(((chart.at.y() + y) * written->width + chart.at.x() + x) * 3);
                most = std::max(most, std::abs(int(written->frame(frame)[at]) - qRed(still.pixel(x, y))));
            }
            return most;
        };
        for (const int frame : {1, 4, 8})
            for (const int at : {1, 4, 8}) {
                const int change = changeAt(frame, at / 16.0);
                EXPECT_EQ(change > 40, at == frame) << "frame " << frame << " at " << at << ": " << change;
            }
    }
}

TEST_F(LookingTest, EachTilesPictureIsSavedAsItWasDecoded) {
    open({writeClip("a.mp4"), writeClip("b.mp4")});
    player().seekToStop(4);
    ASSERT_TRUE(waitUntil([&] { return !player().waiting(); }));
    fs::create_directories(m_folder / "pictures");
    m_window.saveTiles(m_folder / "pictures");
    const fs::path second = m_folder / "pictures" / "02_b_frame_0005.png";
    ASSERT_TRUE(waitUntil(
        [&] { return fs::exists(second) && !QImage(QString::fromStdString(second.string())).isNull(); }));
    const QImage picture(QString::fromStdString(second.string()));
    EXPECT_EQ(picture.size(), QSize(32, 32));
    EXPECT_NEAR(qRed(picture.pixel(16, 16)), brightnessOf(4), 2);
    EXPECT_TRUE(fs::exists(m_folder / "pictures" / "01_a_frame_0005.png"));
}

}  // namespace
}  // namespace reelgrid::studio
