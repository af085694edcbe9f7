#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QComboBox>
#include <QLayout>
#include <QMouseEvent>
#include <algorithm>

#include "tests/widgets/gui_wait.h"
#include "widgets/charts/bar_plot.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/plot_style.h"
#include "widgets/charts/timing_chart.h"

namespace reelgrid::widgets {
namespace {

ClipCurves curvesOf(const QString& name, double value) {
    ClipCurves curves{name, Qt::blue};
    curves.metrics.frameCorrelation.emplace();
    for (int i = 0; i < 33; ++i) curves.frameSeconds.push_back(i / 16.0);
    for (int i = 1; i < 33; ++i) curves.metrics.frameCorrelation->perFrame.push_back(value + 0.0001 * i);
    return curves;
}

const metrics::Measure& measure(const std::string& key) {
    return *std::ranges::find(metrics::kMeasures, key, &metrics::Measure::key);
}

result::Timing timingOf(std::vector<std::pair<std::string, double>> stages, std::vector<double> steps = {}) {
    result::Timing timing;
    timing.stages = std::move(stages);
    timing.steps = std::move(steps);
    return timing;
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
    chart.setMeasure(measure("psnr"));
    EXPECT_EQ(plot->graphCount(), 0);
}

TEST(CoherenceChart, IdenticalFramesAreGapsNotInfinity) {
    ClipCurves curves{"fav2", Qt::blue};
    const double infinite = std::numeric_limits<double>::infinity();
    curves.metrics.drift.emplace().psnr = metrics::Series{41, {40, infinite, 42}};
    curves.frameSeconds = {0, 0.1, 0.2};
    CoherenceChart chart;
    chart.setMeasure(measure("psnr"));
    chart.setCurves({curves});
    auto* plot = chart.findChild<QCustomPlot*>();
    EXPECT_LT(plot->yAxis->range().upper, 50);
    EXPECT_GT(plot->yAxis->range().lower, 30);
}

TEST(CoherenceChart, EveryMeasureOfFramesCanBeChosen) {
    CoherenceChart chart;
    for (const metrics::Measure& each : metrics::kMeasures) {
        chart.setMeasure(each);
        EXPECT_STREQ(chart.measure().key, each.key);
    }
    EXPECT_EQ(chart.findChild<QComboBox*>("measure")->itemText(3), "PSNR against sdpa");
}

TEST(CoherenceChart, AValueOfTwoFramesStandsAtTheLaterOne) {
    CoherenceChart chart;
    chart.setCurves({curvesOf("sdpa", 0.98)});
    const auto* plot = chart.findChild<QCustomPlot*>();
    ASSERT_EQ(plot->graphCount(), 1);
    EXPECT_DOUBLE_EQ(plot->graph(0)->data()->constBegin()->key, 1 / 16.0);
    EXPECT_EQ(plot->graph(0)->data()->size(), 32);
}

TEST(TimingChart, StagesAreStackedToTheWholeTime) {
    TimingChart chart;
    chart.setTimings(
        {{"sdpa", Qt::gray,
          timingOf(
              {{"load", 1}, {"text", 0.5}, {"denoise", 10}, {"lockstep", 40}, {"decode", 3}, {"profile", 2}},
              {5, 5})},
         {"fav2", Qt::blue, timingOf({{"denoise", 8}, {"decode", 3}}, {4, 4})}});
    QCustomPlot* stages = chart.plotOf(TimingChart::View::Stages);
    EXPECT_EQ(stages->plottableCount(),
              6);  // four of sdpa, two of fav2: an absent stage is not drawn as zero, one that only measured
                   // not at all
    EXPECT_GE(stages->xAxis->range().upper, 14.5);
    QStringList texts;
    for (int i = 0; i < stages->itemCount(); ++i)
        if (auto* text = qobject_cast<QCPItemText*>(stages->item(i))) texts.append(text->text());
    ASSERT_EQ(texts.size(), 2);
    EXPECT_TRUE(texts[0].startsWith("13.5 s"));
    EXPECT_TRUE(texts[1].contains("1.25")) << texts[1].toStdString();
}

std::vector<RenderTiming> sevenBackends() {
    std::vector<RenderTiming> timings;
    for (const char* name : {"sdpa", "fav2", "fav3", "fav3_fp8", "sagev1", "fav3_sage+policy", "sla+policy"})
        timings.push_back({name, Qt::blue, timingOf({{"denoise", 52.3}, {"decode", 3.2}}), 37.0});
    return timings;
}

QCustomPlot* stagesOf(const TimingChart& chart) {
    return chart.plotOf(TimingChart::View::Stages);
}

TEST(TimingChart, OfMoreRowsThanThereIsRoomForSomeAreNamed) {
    TimingChart chart;
    chart.resize(700, 300);
    std::vector<RenderTiming> timings;
    for (int i = 0; i < 64; ++i)
        timings.push_back(
            {QString("clip %1").arg(i), Qt::blue, timingOf({{"denoise", 50.0 + i}, {"decode", 3.0}}, {})});
    for (const bool isCrowded : {true, false}) {
        if (!isCrowded) timings.resize(4);
        chart.setTimings(timings);
        chart.show();
        letRun(50);
        QCustomPlot* plot = stagesOf(chart);
        plot->replot();
        const auto names = qSharedPointerDynamicCast<QCPAxisTickerText>(plot->yAxis->ticker())->ticks();
        const double row = plot->axisRect()->height() / plot->yAxis->range().size();
        const int line = QFontMetrics(plot->yAxis->tickLabelFont()).height();
        ASSERT_GE(names.size(), isCrowded ? 2 : 4);
        EXPECT_LT(names.size(), 40);
        EXPECT_EQ(names.last(), "clip 0") << "on top";
        const QList<double> places = names.keys();
        for (int i = 1; i < places.size(); ++i) EXPECT_GE((places[i] - places[i - 1]) * row, line - 1e-6);
        int written = 0;
        for (int i = 0; i < plot->itemCount(); ++i)
            if (const auto* text = qobject_cast<QCPItemText*>(plot->item(i));
                text != nullptr && text->visible())
                ++written;
        EXPECT_EQ(written, names.size());
        EXPECT_EQ(plot->plottable(0)->pen().style(), isCrowded ? Qt::NoPen : Qt::SolidLine);
        EXPECT_GE(plot->xAxis->range().upper, isCrowded ? 116 : 56) << "all bars are whole";
    }
}

TEST(BarPlot, OfMoreBarsThanThereIsRoomForSomeAreNamed) {
    BarPlot bars;
    bars.resize(600, 200);
    std::vector<Bar> many;
    for (int i = 0; i < 64; ++i) many.push_back({QString("clip %1").arg(i), Qt::blue, 1.0 + i});
    bars.setBars(many, "speed-up");
    bars.show();
    letRun(50);
    bars.plot()->replot();
    const auto names = qSharedPointerDynamicCast<QCPAxisTickerText>(bars.plot()->yAxis->ticker())->ticks();
    EXPECT_GE(names.size(), 2);
    EXPECT_LT(names.size(), 32);
    EXPECT_EQ(names.last(), "clip 0");
}

TEST(TimingChart, WhatIsWrittenAfterABarFitsHoweverNarrowTheChart) {
    for (const int width : {700, 470, 340}) {
        TimingChart chart;
        chart.resize(width, 240);
        chart.setTimings(sevenBackends());
        chart.show();
        QCustomPlot* plot = stagesOf(chart);
        ASSERT_NE(plot, nullptr);
        const auto rightEnd = [&] {
            double right = 0;
            for (int i = 0; i < plot->itemCount(); ++i)
                right = std::max(right, plot->item(i)->anchor("right")->pixelPosition().x());
            return right;
        };
        EXPECT_TRUE(waitUntil([&] { return rightEnd() > 0 && rightEnd() <= plot->width(); }, 3000))
            << width << ": " << rightEnd() << " of " << plot->width();
        const auto* ratio = qobject_cast<QCPItemText*>(plot->item(6));
        ASSERT_NE(ratio, nullptr);
        EXPECT_TRUE(ratio->text().contains("1.00×")) << ratio->text().toStdString();
    }
}

TEST(TimingChart, ALongNameLeavesMostOfTheWidthToTheBars) {
    TimingChart chart;
    chart.resize(470, 240);
    std::vector<RenderTiming> timings = sevenBackends();
    timings[5].name = "fav3_sage+policy-c002 (ran sdpa; cross-attention ran sdpa)";
    chart.setTimings(timings);
    chart.show();
    const QCustomPlot* plot = stagesOf(chart);
    EXPECT_TRUE(waitUntil([&] { return plot->axisRect()->width() > plot->width() / 2; }, 3000))
        << plot->axisRect()->width() << " of " << plot->width();
}

TEST(TimingChart, SaysWhenTheMachineWasNotEquallyFast) {
    TimingChart chart;
    std::vector<RenderTiming> timings = sevenBackends();
    chart.setTimings(timings);
    EXPECT_EQ(stagesOf(chart)->xAxis->label(), "seconds");
    timings[6].outsideAttention = 10.7;
    chart.setTimings(timings);
    EXPECT_EQ(stagesOf(chart)->xAxis->label(), "seconds; uneven: the same work took 10.7 to 37.0 s");
    timings[6].outsideAttention.reset();  // not measured
    chart.setTimings(timings);
    EXPECT_EQ(stagesOf(chart)->xAxis->label(), "seconds");
}

TEST(CoherenceChart, GivesItsLegendTheRowsThatItNeeds) {
    std::vector<ClipCurves> curves;
    for (const RenderTiming& timing : sevenBackends()) curves.push_back(curvesOf(timing.name, 0.9));
    CoherenceChart chart;
    chart.resize(480, 240);
    chart.setCurves(curves);
    chart.show();
    const auto* legend = dynamic_cast<LegendRow*>(chart.layout()->itemAt(1)->widget());
    ASSERT_NE(legend, nullptr);
    EXPECT_TRUE(waitUntil([&] { return legend->height() == legend->heightForWidth(legend->width()); }, 3000))
        << legend->height();
    EXPECT_GT(legend->height(), legend->sizeHint().height());
}

TEST(LegendRow, TakesAnotherRowRatherThanLeavingSeriesOut) {
    LegendRow legend;
    legend.setItems({{Qt::blue, "sdpa", "0.9653"}, {Qt::red, "fav2", "0.9653"}});
    const int one = legend.heightForWidth(480);
    std::vector<LegendRow::Item> seven;
    for (const RenderTiming& timing : sevenBackends()) seven.push_back({timing.color, timing.name, "0.9653"});
    legend.setItems(seven);
    EXPECT_GE(legend.heightForWidth(480), 2 * one);
    EXPECT_EQ(legend.heightForWidth(4000), one);
}

}  // namespace
}  // namespace reelgrid::widgets
