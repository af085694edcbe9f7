#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QMouseEvent>

#include "tests/widgets/gui_wait.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/timing_chart.h"

namespace reelgrid::widgets {
namespace {

ClipCurves curvesOf(const QString& name, double value) {
    ClipCurves curves{name, Qt::blue, {}};
    for (int i = 1; i < 33; ++i) curves.points[0].push_back({i / 16.0, value + 0.0001 * i});
    return curves;
}

TEST(CoherenceChart, AClickAsksForThatTime) {
    CoherenceChart chart;
    chart.resize(600, 260);
    chart.setDuration(2);
    chart.setCurves({curvesOf("sdpa", 0.98), curvesOf("fav2", 0.97)});
    chart.show();
    auto* plot = chart.findChild<QCustomPlot*>();
    ASSERT_NE(plot, nullptr);
    letRun(50);
    double asked = -1;
    QObject::connect(&chart, &CoherenceChart::seekRequested, [&](double seconds) { asked = seconds; });
    const auto mouse = [&](QEvent::Type type, double seconds) {
        const QPointF at(plot->xAxis->coordToPixel(seconds), 60);
        QMouseEvent event(type, at, plot->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(plot, &event);
    };
    mouse(QEvent::MouseButtonPress, 1.25);
    EXPECT_NEAR(asked, 1.25, 0.01);
    mouse(QEvent::MouseMove, 0.5);  // and a drag goes on
    EXPECT_NEAR(asked, 0.5, 0.01);
    mouse(QEvent::MouseMove, 9);
    EXPECT_EQ(asked, 2);
}

TEST(CoherenceChart, AnAbsentMeasurementIsNoCurve) {
    CoherenceChart chart;
    chart.setCurves({curvesOf("sdpa", 0.98), curvesOf("fav2", 0.97)});
    auto* plot = chart.findChild<QCustomPlot*>();
    EXPECT_EQ(plot->graphCount(), 2);
    chart.setMeasure(FrameMeasure::Psnr);
    EXPECT_EQ(plot->graphCount(), 0);
}

TEST(CoherenceChart, IdenticalFramesAreGapsNotInfinity) {
    ClipCurves curves{"fav2", Qt::blue, {}};
    const double infinite = std::numeric_limits<double>::infinity();
    curves.points[std::size_t(FrameMeasure::Psnr)] = {{0, 40}, {0.1, infinite}, {0.2, 42}};
    CoherenceChart chart;
    chart.setMeasure(FrameMeasure::Psnr);
    chart.setCurves({curves});
    auto* plot = chart.findChild<QCustomPlot*>();
    EXPECT_LT(plot->yAxis->range().upper, 50);
    EXPECT_GT(plot->yAxis->range().lower, 30);
}

TEST(TimingChart, StagesAreStackedToTheWholeTime) {
    TimingChart chart;
    chart.setTimings(
        {{"sdpa", Qt::gray, {{"load", 1}, {"text", 0.5}, {"denoise", 10}, {"decode", 3}}, {5, 5}},
         {"fav2", Qt::blue, {{"denoise", 8}, {"decode", 3}}, {4, 4}}});
    const auto plots = chart.findChildren<QCustomPlot*>();
    ASSERT_EQ(plots.size(), 2);
    QCustomPlot* stages = plots[0]->plottableCount() > plots[1]->plottableCount() ? plots[0] : plots[1];
    EXPECT_EQ(stages->plottableCount(),
              6);  // four of sdpa, two of fav2: an absent stage is not drawn as zero
    EXPECT_GT(stages->xAxis->range().upper, 14.5);
    QStringList texts;
    for (int i = 0; i < stages->itemCount(); ++i)
        if (auto* text = qobject_cast<QCPItemText*>(stages->item(i))) texts.append(text->text());
    ASSERT_EQ(texts.size(), 2);
    EXPECT_TRUE(texts[0].startsWith("13.5 s"));
    EXPECT_TRUE(texts[1].contains("1.25")) << texts[1].toStdString();
}

}  // namespace
}  // namespace reelgrid::widgets
