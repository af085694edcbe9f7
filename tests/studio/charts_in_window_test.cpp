#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "tests/studio/window_fixture.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/timing_chart.h"

namespace reelgrid::studio {
namespace {

using widgets::CoherenceChart;

void click(QWidget* widget, const QPointF& at) {
    QMouseEvent press(QEvent::MouseButtonPress, at, widget->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(widget, &press);
}

TEST_F(WindowTest, AClickOnAChartIsInTheGridWithinFiftyMilliseconds) {
    m_window.sessions().open(
        {writeClip("one.mp4", 33), writeClip("two.mp4", 33), writeClip("three.mp4", 33)});
    ASSERT_TRUE(waitUntil([&] {
        return player().clock().timeline().stopCount() == 33 &&
               m_window.coherenceChart().curves().size() == 3;
    }));
    player().pause();
    CoherenceChart& chart = m_window.coherenceChart();
    chart.setView(CoherenceChart::View::Frames);
    letRun(300);
    std::vector<double> milliseconds;
    for (int i = 0; i < 21; ++i) {
        const double wanted = 0.05 + 0.9 * player().clock().timeline().duration() * ((i * 8) % 21) / 21.0;
        QElapsedTimer timer;
        timer.start();
        click(&chart.strip(), {chart.strip().xOf(wanted), 20});
        ASSERT_TRUE(waitUntil([&] {
            const auto& now = player().composition();
            return std::abs(now.seconds - wanted) < 0.07 && now.tiles.size() == 3 &&
                   std::ranges::all_of(now.tiles, [](const auto& tile) { return tile.frame != nullptr; });
        }));
        milliseconds.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(milliseconds);
    std::cout << "chart click to grid, ms: median " << milliseconds[10] << ", highest " << milliseconds[20]
              << "\n";
    EXPECT_LE(milliseconds[10], 50);
}

TEST_F(WindowTest, FramesOfEveryClipAreReadOnceTheyAreOnShow) {
    m_window.sessions().open({writeClip("one.mp4"), writeClip("two.mp4", 30)});
    ASSERT_TRUE(waitUntil([&] { return player().composition().tiles.size() == 2; }));
    CoherenceChart& chart = m_window.coherenceChart();
    EXPECT_TRUE(chart.strip().strips().empty());
    chart.setView(CoherenceChart::View::Frames);
    ASSERT_TRUE(waitUntil([&] {
        const auto& strips = chart.strip().strips();
        return strips.size() == 2 && !strips[0].pictures.empty() && !strips[1].pictures.empty();
    }));
    EXPECT_EQ(chart.strip().strips()[0].pictures.size(), 9U);
    EXPECT_EQ(chart.strip().strips()[1].pictures.size(), 24U);
    for (const auto& picture : chart.strip().strips()[0].pictures) {
        const QColor color = picture.image.pixelColor(picture.image.rect().center());
        EXPECT_NEAR(color.red(), brightnessOf(picture.frame), 4) << picture.frame;
    }
    m_window.comparison().remove(clips()[0].id);
    EXPECT_EQ(chart.strip().strips().size(), 1U);
}

TEST_F(WindowTest, WhatAChartCantSaveIsAnIssue) {
    Q_EMIT m_window.timingChart().failed("chart.png: can't be written");
    EXPECT_EQ(m_window.issues().issues(), QStringList{"chart.png: can't be written"});
}

}  // namespace
}  // namespace reelgrid::studio
