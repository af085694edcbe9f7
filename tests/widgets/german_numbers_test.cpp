// What the window shows has the locale's point; what programs read has its own.

#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QLineEdit>
#include <QTest>
#include <utility>

#include "core/protocol/step_cache_json.h"
#include "tests/widgets/german_locale.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/charts/bar_plot.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/metric_table.h"
#include "widgets/charts/timing_chart.h"
#include "widgets/charts/verdict_table.h"
#include "widgets/measure/figure_text.h"
#include "widgets/measure/points_chart.h"
#include "widgets/panels/advanced_fields.h"
#include "widgets/panels/clock_text.h"
#include "widgets/panels/form_parts.h"
#include "widgets/panels/model_fields.h"
#include "widgets/theme/local_number.h"

namespace reelgrid::widgets {
namespace {

class GermanNumbers : public testing::Test {
    GermanLocale m_german;
};

TEST_F(GermanNumbers, HaveCommasAndNoGroups) {
    EXPECT_EQ(fixedText(1.5, 2), "1,50");
    EXPECT_EQ(fixedText(12345.678, 1), "12345,7");
    EXPECT_EQ(significantText(0.01234, 3), "0,0123");
    EXPECT_EQ(shortestText(2.7182818284590451), "2,718281828459045");
    EXPECT_EQ(localText("61.2 MB"), "61,2 MB");
    EXPECT_EQ(figure(12.34), "12,34");
    EXPECT_EQ(secondsText(0.0123), "12,3 ms");
    EXPECT_EQ(bytesText(61.2e6), "61,2 MB");
    EXPECT_EQ(clockText(62.5), "01:02,500");
}

TEST_F(GermanNumbers, AreReadWithACommaOrAPoint) {
    EXPECT_EQ(numberIn("1,5"), 1.5);
    EXPECT_EQ(numberIn("1.5"), 1.5);
    EXPECT_EQ(numberIn("1.234"), 1.234) << "no thousands";
    EXPECT_EQ(numberIn("-3"), -3);
    for (const char* text : {"", "far", "1.234,5", "1,2,3"}) EXPECT_FALSE(numberIn(text)) << text;
}

TEST_F(GermanNumbers, AreShownInFieldsAsTheyAreReadThere) {
    OptionalRealEdit shift("Flow shift", "--flow-shift");
    shift.setValue(2.5);
    EXPECT_EQ(shift.text(), "2,5");
    EXPECT_EQ(shift.value(), 2.5);
    shift.setText("3.5");
    EXPECT_EQ(shift.value(), 3.5);
    EXPECT_EQ(shift.problem(), "");
    shift.setText("1.234,5");
    EXPECT_EQ(shift.problem(), "--flow-shift 1.234,5: a number was needed");

    ModelFields fields({{"sigma_max", "Start", ""}});
    families::ModelInfo model;
    model.extraFields = {"sigma_max"};
    fields.takeDefaults(model);
    protocol::RenderRequest request, written;
    request.sigmaMax = 80.5;
    fields.read(request);
    EXPECT_EQ(fields.findChild<QLineEdit*>()->text(), "80,5");
    fields.write(written);
    EXPECT_EQ(written.sigmaMax, 80.5);
}

TEST_F(GermanNumbers, MayBeAStepCaches) {
    AdvancedFields fields{devices::GpuSurvey()};
    QLineEdit* field = nullptr;
    for (QLineEdit* each : fields.findChildren<QLineEdit*>())
        if (each->accessibleName() == "Step cache") field = each;
    ASSERT_NE(field, nullptr);
    protocol::RenderRequest request, written;
    request.stepCache = 0.28;
    fields.read(request);
    EXPECT_EQ(field->text(), "0,28");
    for (const auto& [typed, option] :
         {std::pair{"0,28", "0.28"}, {"0.28", "0.28"}, {"magcache:0,12", "magcache:0.12"}}) {
        field->setText(typed);
        EXPECT_EQ(fields.problem(), "") << typed;
        fields.write(written);
        EXPECT_EQ(written.stepCache, protocol::stepCacheFromOption(option).value()) << typed;
    }
    field->setText("1.234,5");
    EXPECT_NE(fields.problem(), "");
}

TEST_F(GermanNumbers, ThatAreTypedWithAPointAreNotTenTimesAsMuch) {
    RealBox guidance("Guidance", "--guidance-scale");
    guidance.setValue(5);
    EXPECT_EQ(guidance.text(), "5,0");
    for (const char* typed : {"5.5", "5,5"}) {
        guidance.setValue(1);
        guidance.selectAll();
        QTest::keyClicks(&guidance, typed);
        EXPECT_EQ(guidance.value(), 5.5) << typed;
    }
    guidance.selectAll();
    QTest::keyClicks(&guidance, "1.234");
    EXPECT_EQ(guidance.value(), 1.234);
}

RenderTiming timingOfSteps(const QString& name, double step) {
    RenderTiming timing{name, Qt::blue, {}, {}};
    timing.timing.stages = {{"denoise", 4 * step}, {"decode", 1.5}};
    timing.timing.steps = {step, step, step, step};
    timing.timing.peakBytes = {{"denoise", 2'500'000'000}};
    return timing;
}

QString wordsIn(const QCustomPlot& plot) {
    QStringList words;
    for (int i = 0; i < plot.itemCount(); ++i)
        if (const auto* text = qobject_cast<QCPItemText*>(plot.item(i))) words << text->text();
    return words.join('\n');
}

TEST_F(GermanNumbers, AreInChartsAlsoOnTheAxesAndNotInTheirTables) {
    TimingChart chart;
    chart.resize(700, 300);
    chart.setTimings({timingOfSteps("sdpa", 0.5), timingOfSteps("fav2", 0.4)});
    chart.show();
    chart.setView(TimingChart::View::Steps);
    letRun(50);
    QCustomPlot* steps = chart.plotOf(TimingChart::View::Steps);
    steps->replot();
    const QString ticks = steps->yAxis->tickVectorLabels().join(' ');
    EXPECT_TRUE(ticks.contains("0,2")) << ticks.toStdString();
    EXPECT_FALSE(ticks.contains('.')) << ticks.toStdString();
    EXPECT_EQ(chart.table().rows[0].mid(1), (QStringList{"0.5", "0.4"}));

    const QString stages = wordsIn(*chart.plotOf(TimingChart::View::Stages));
    EXPECT_TRUE(stages.contains("3,50 s") && stages.contains("1,25×")) << stages.toStdString();
    const QString ratios = wordsIn(*chart.plotOf(TimingChart::View::SpeedUp));
    EXPECT_EQ(ratios, "1,00×\n1,25×");
    EXPECT_EQ(wordsIn(*chart.plotOf(TimingChart::View::Memory)), "2,50 GB\n2,50 GB");
    chart.setView(TimingChart::View::SpeedUp);
    EXPECT_EQ(chart.table().rows[1][1], "1.25");
}

TEST_F(GermanNumbers, OfVerdictsAndMeasuresHavePointsInFiles) {
    JudgedClip clip{"sdpa", Qt::blue, {}};
    clip.metrics.frames = 9;
    clip.metrics.frameCorrelation = metrics::Series{0.9, std::vector<double>(8, 0.9)};
    clip.metrics.gates = metrics::ClipGates{.luminanceVariance = 64, .motion = 3};
    clip.metrics.change = metrics::ChangeMeasures{.repeated = 0.1, .squared = 0.004};
    VerdictTable verdicts;
    verdicts.setClips({clip});
    EXPECT_EQ(verdicts.item(0, 2)->text(), "0,90");
    EXPECT_EQ(verdicts.table().rows[0].mid(0, 4), (QStringList{"sdpa", "coherent", "0.90", ""}));
    EXPECT_TRUE(verdicts.horizontalHeaderItem(2)->text().contains(','));
    MetricTable numbers;
    numbers.setClips({clip});
    EXPECT_TRUE(numbers.item(0, 1)->text().startsWith("0,9"));
    EXPECT_EQ(numbers.table().rows[0][1], "0.9");
}

TEST_F(GermanNumbers, AreReadFromPointsOfAChartAndSavedWithPoints) {
    PointsChart chart("CHART");
    chart.setSeries({{"a", Qt::blue, PointSeries::Mark::Dots, {{0.25, 1.5}}, {}}}, {"x"}, {"y"});
    EXPECT_EQ(chart.table().rows[0], (QStringList{"a", "", "0.25", "1.5"}));
    BarPlot bars;
    bars.setBars({{"a", Qt::blue, 0.25}}, "x");
    EXPECT_EQ(wordsIn(*bars.plot()), "0,25");
    EXPECT_EQ(bars.table().rows[0][1], "0.25");
}

}  // namespace
}  // namespace reelgrid::widgets
