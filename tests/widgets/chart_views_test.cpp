#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QComboBox>
#include <QMainWindow>
#include <QMouseEvent>
#include <QSplitter>
#include <QXmlStreamReader>
#include <cmath>
#include <filesystem>

#include "core/base/pending_file.h"
#include "tests/jobs/temporary_folder.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/charts/backend_map.h"
#include "widgets/charts/bar_plot.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/plot_hover.h"
#include "widgets/charts/timing_chart.h"
#include "widgets/charts/verdict_table.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {
namespace {

namespace fs = std::filesystem;

const metrics::Measure& measureViews(const std::string& key) {
    return *std::ranges::find(metrics::kMeasures, key, &metrics::Measure::key);
}

ClipCurves drawnCurves(const QString& name, double value, CurveRole role = CurveRole::Clip) {
    ClipCurves curves{name, Qt::blue};
    curves.role = role;
    std::vector<double> list(9, value);
    curves.metrics.frames = 9;
    curves.metrics.frameCorrelation = metrics::Series{value, {list.begin(), list.end() - 1}};
    curves.metrics.drift.emplace().psnr = metrics::Series{value, list};
    for (int i = 0; i < 9; ++i) curves.frameSeconds.push_back(i / 8.0);
    return curves;
}

RenderTiming renderOf(const QString& name, double denoise, std::uint64_t peak = 0) {
    RenderTiming render{name, Qt::green, {}, denoise / 2};
    render.timing.stages = {{"text", 1}, {"denoise", denoise}, {"decode", 1}};
    render.timing.steps = {denoise / 2, denoise / 2};
    if (peak > 0) render.timing.peakBytes = {{"load", 9 * peak}, {"denoise", peak}, {"decode", peak / 2}};
    return render;
}

/// Two layers, three steps: fav2 was asked for everywhere, and sdpa ran in the last layer of the last step.
protocol::CallMaps callsOfFav2() {
    return {{{"fav2", "fav2", ""}, {"fav2", "sdpa", "head dim 512"}},
            {{protocol::ModuleKind::Self, {}, 2, 3, {0, 0, 0, 0, -1, 1}}}};
}

void move(QWidget* widget, const QPointF& at) {
    QMouseEvent event(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(widget, &event);
}

TEST(SpeedUps, AreOfDenoisingAgainstTheReferenceAndAbsentWhereItWasNotMeasured) {
    TimingChart chart;
    std::vector<RenderTiming> renders{renderOf("sdpa", 8), renderOf("fav2", 4), renderOf("old", 2)};
    renders[2].timing.stages = {{"decode", 1}};
    chart.setTimings(renders);
    chart.setView(TimingChart::View::SpeedUp);
    const ChartTable table = chart.table();
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0][1], "1");
    EXPECT_EQ(table.rows[1][1], "2");

    chart.setTimings({renderOf("fav2", 4), renderOf("sdpa", 8)}, 1);
    EXPECT_EQ(chart.table().rows[0][1], "2");
    EXPECT_EQ(chart.table().rows[1][1], "1");
}

TEST(Memory, ShowsTheMostThatARenderTookAndLeavesLoadingOut) {
    TimingChart chart;
    chart.setTimings({renderOf("sdpa", 8, 2'000'000'000), renderOf("fav2", 4)});
    auto* plot = chart.plotOf(TimingChart::View::Memory);
    EXPECT_EQ(plot->plottableCount(), 1);
    const auto* label = qobject_cast<QCPItemText*>(plot->item(0));
    ASSERT_NE(label, nullptr);
    EXPECT_EQ(label->text(), "2.00 GB");
    chart.setView(TimingChart::View::Memory);
    EXPECT_EQ(chart.table().rows.size(), 3U);  // a line a stage
}

TEST(BackendMap, ShowsWhoServedWhatAndSaysWhy) {
    BackendMap map;
    map.setRenders({{"sdpa", {}}, {"fav2", callsOfFav2()}});
    EXPECT_EQ(map.plot().cells().columns, 3);
    EXPECT_EQ(map.plot().cells().rows, 2);
    EXPECT_EQ(map.plot().readingOf(0, 0), "layer 0, step 0: fav2");
    EXPECT_EQ(map.plot().readingOf(2, 1), "layer 1, step 2: asked for fav2, ran sdpa\nhead dim 512");
    EXPECT_EQ(map.plot().readingOf(2, 0), "layer 0, step 2: no call");
    EXPECT_EQ(map.plot().table().rows[1][3], "fav2, ran sdpa");
}

TEST(BackendMap, DrawsEveryKindInItsOwnColour) {
    BackendMap map;
    map.resize(420, 260);
    map.setRenders({{"fav2", callsOfFav2()}});
    map.show();
    letRun(50);
    QCustomPlot* plot = map.plot().plot();
    const QImage picture = plot->toPixmap(plot->width(), plot->height()).toImage();
    const auto colorAt = [&](double step, double layer) {
        return picture.pixelColor(int(plot->xAxis->coordToPixel(step)),
                                  int(plot->yAxis->coordToPixel(layer)));
    };
    const auto& kinds = map.plot().cells().categories;
    ASSERT_EQ(kinds.size(), 2U);
    EXPECT_EQ(colorAt(0, 0), kinds[0].color);
    EXPECT_EQ(colorAt(1, 1), kinds[0].color);
    EXPECT_EQ(colorAt(2, 1), kinds[1].color);
    EXPECT_NE(colorAt(2, 0), kinds[0].color);  // no call
    EXPECT_NE(colorAt(2, 0), kinds[1].color);
}

TEST(HeatMap, ReadsTheCellUnderTheMouseAndTellsOfAClick) {
    HeatMapPlot map;
    map.resize(400, 240);
    map.setCells({.columns = 4,
                  .rows = 2,
                  .values = {1e-6, 1e-4, 1e-3, 1e-2, 0, std::nan(""), 1, 10},
                  .columnName = "step",
                  .rowName = "layer",
                  .valueName = "L1",
                  .scale = HeatMapCells::Scale::Log});
    map.show();
    letRun(50);
    EXPECT_EQ(map.readingOf(2, 1), "layer 1, step 2: 1");
    EXPECT_EQ(map.readingOf(1, 1), "layer 1, step 1: not measured");
    int column = -1, row = -1;
    QObject::connect(&map, &HeatMapPlot::cellClicked, [&](int c, int r) { column = c, row = r; });
    QCustomPlot* plot = map.plot();
    const QPointF at(plot->xAxis->coordToPixel(3), plot->yAxis->coordToPixel(1));
    QMouseEvent press(QEvent::MouseButtonPress, at, plot->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(plot, &press);
    EXPECT_EQ(column, 3);
    EXPECT_EQ(row, 1);
}

TEST(CoherenceChart, ReadsAllClipsWhereTheMouseIs) {
    CoherenceChart chart;
    chart.resize(600, 260);
    chart.setDuration(1);
    chart.setMeasure(measureViews("psnr"));
    chart.setCurves({drawnCurves("fav2", 44, CurveRole::NoiseFloor), drawnCurves("sagev1", 31)});
    chart.show();
    letRun(50);
    const auto* plot = chart.findChild<QCustomPlot*>();
    const QPoint at(int(plot->xAxis->coordToPixel(0.5)), plot->axisRect()->center().y());
    EXPECT_EQ(chart.readingAt(at), "PSNR, dB at 0.50 s\nfav2 (noise floor) 44.00\nsagev1 31.00");
    EXPECT_EQ(chart.readingAt({0, 0}), "");
    // A noise floor is one of differences from the reference alone.
    chart.setMeasure(measureViews("frame_correlation"));
    EXPECT_TRUE(chart.readingAt(at).contains("\nfav2 44"));
}

TEST(CoherenceChart, ShadesWhatRoundingAloneWouldDo) {
    CoherenceChart chart;
    chart.setMeasure(measureViews("psnr"));
    chart.setCurves({drawnCurves("fav2", 44, CurveRole::NoiseFloor), drawnCurves("sagev1", 31)});
    const auto* plot = chart.findChild<QCustomPlot*>();
    const auto shaded = [&] {
        int count = 0;
        for (int i = 0; i < plot->graphCount(); ++i) count += plot->graph(i)->channelFillGraph() != nullptr;
        return count;
    };
    EXPECT_EQ(shaded(), 1);
    chart.setMeasure(measureViews("frame_correlation"));
    EXPECT_EQ(shaded(), 0);
}

TEST(CoherenceChart, JudgesEachClipBesideWhatIsAskedOfIt) {
    CoherenceChart chart;
    ClipCurves moving = drawnCurves("sdpa", 0.9), unjudged = drawnCurves("old", 0.9);
    moving.metrics.gates = metrics::ClipGates{.luminanceVariance = 64, .motion = 3};
    moving.metrics.change = metrics::ChangeMeasures{.repeated = 0.1, .squared = 0.004};
    moving.metrics.frameCorrelation->mean = 0.9;
    ClipCurves frozen = moving;
    frozen.name = "stuck";
    frozen.metrics.gates->frozen = true;
    frozen.metrics.gates->motion = 0.01;
    chart.setCurves({moving, frozen, unjudged});
    chart.setView(CoherenceChart::View::Verdicts);
    const ChartTable table = chart.table();
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.rows[0].mid(0, 3), (QStringList{"sdpa", "coherent", "0.90"}));
    EXPECT_EQ(table.rows[1].mid(0, 2), (QStringList{"stuck", "frozen"}));
    EXPECT_EQ(table.rows[2].mid(0, 3), (QStringList{"old", "not judged", ""}));
    EXPECT_EQ(chart.verdicts().item(1, 5)->text(), "0.01");
    EXPECT_EQ(chart.verdicts().item(1, 5)->foreground().color(), theme::kWarning) << "short of its threshold";
    EXPECT_NE(chart.verdicts().item(0, 5)->foreground().color(), theme::kWarning);
}

TEST(ThumbnailStrip, AClickAsksForTheTimeOfThePlace) {
    CoherenceChart chart;
    chart.resize(700, 300);
    chart.setDuration(2);
    chart.setView(CoherenceChart::View::Frames);
    QImage image(32, 18, QImage::Format_RGB32);
    image.fill(Qt::red);
    chart.strip().setStrips({{"sdpa", Qt::gray, {{0, 0, image}, {0.5, 8, image}, {1.5, 24, image}}}});
    chart.show();
    letRun(50);
    double asked = -1;
    QObject::connect(&chart, &CoherenceChart::seekRequested, [&](double seconds) { asked = seconds; });
    const QPointF at(chart.strip().xOf(1.25), 20);
    QMouseEvent press(QEvent::MouseButtonPress, at, chart.strip().mapToGlobal(at), Qt::LeftButton,
                      Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&chart.strip(), &press);
    EXPECT_NEAR(asked, 1.25, 0.01);
    EXPECT_EQ(chart.strip().readingAt(at.toPoint()), "sdpa: frame 9 at 0.50 s");
}

class ChartFiles : public testing::Test {
  protected:
    jobs::TemporaryFolder m_temporary;
    fs::path m_folder = m_temporary.path();
};

TEST_F(ChartFiles, HaveTheNumbersBehindTheCurves) {
    CoherenceChart chart;
    chart.setCurves({drawnCurves("a \"b\", c", 0.5)});
    ASSERT_TRUE(chart.save(m_folder / "chart.csv"));
    const std::string text = readFile(m_folder / "chart.csv").value();
    EXPECT_TRUE(text.starts_with(
        "clip,frame,seconds,frame_correlation,flickering,warping_error,psnr,ssim,ms_ssim,lpips,"
        "lpips_squeeze,vmaf,clip_score,subject_consistency,background_consistency\n"))
        << text;
    EXPECT_NE(text.find("\"a \"\"b\"\", c\",1,0.125,0.5,,,0.5,,,,,,,,\n"), std::string::npos) << text;
}

TEST_F(ChartFiles, ArePicturesOfPixelsAndOfShapes) {
    for (const bool curves : {false, true}) {
        TimingChart timing;
        CoherenceChart coherence;
        timing.setTimings({renderOf("sdpa", 8, 1'000'000'000), renderOf("fav2", 4)});
        coherence.setCurves({drawnCurves("sdpa", 0.5)});
        ChartFrame& chart = curves ? static_cast<ChartFrame&>(coherence) : timing;
        chart.resize(600, 260);
        chart.show();
        letRun(50);
        for (int page = 0; page < chart.pageTitles().size(); ++page) {
            chart.showPage(page);
            ASSERT_TRUE(chart.save(m_folder / "chart.png"));
            const QImage picture(QString::fromStdString((m_folder / "chart.png").string()));
            EXPECT_EQ(picture.size(), chart.size() * 2);
            ASSERT_TRUE(chart.save(m_folder / "chart.svg"));
            QXmlStreamReader xml(QByteArray::fromStdString(readFile(m_folder / "chart.svg").value()));
            bool text = false;
            while (!xml.atEnd())
                if (xml.readNext() == QXmlStreamReader::StartElement) text = text || xml.name() == u"text";
            EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
            EXPECT_TRUE(text) << chart.pageTitles()[page].toStdString();
        }
    }
}

TEST_F(ChartFiles, AFailureLeavesNothing) {
    TimingChart chart;
    EXPECT_FALSE(chart.save(m_folder / "chart.jpeg"));
    const fs::path file = m_folder / "taken.csv";
    fs::create_directories(file / "in_the_way");
    EXPECT_FALSE(chart.save(file));
}

TEST(ChartFrame, GoesIntoAWindowOfItsOwnAndBack) {
    QMainWindow window;
    QSplitter& splitter = *new QSplitter;
    window.setCentralWidget(&splitter);
    auto* timing = new TimingChart;
    auto* coherence = new CoherenceChart;
    splitter.addWidget(timing);
    splitter.addWidget(coherence);
    window.resize(900, 260);
    window.show();
    letRun(50);
    timing->detach();
    EXPECT_TRUE(timing->isWindow());
    EXPECT_TRUE(timing->isVisible());
    EXPECT_EQ(splitter.indexOf(timing), -1);
    timing->setTimings({renderOf("sdpa", 8)});  // goes on showing what is measured
    letRun(50);
    timing->close();
    EXPECT_FALSE(timing->isWindow());
    EXPECT_TRUE(timing->isVisible());
    EXPECT_EQ(splitter.indexOf(timing), 0);
    EXPECT_EQ(splitter.count(), 2);
    EXPECT_GT(splitter.sizes()[0], 200);
    EXPECT_GT(splitter.sizes()[1], 200);
}

TEST(PlotHover, SaysWhatIsUnderTheMouse) {
    TimingChart chart;
    chart.resize(600, 260);
    chart.setTimings({renderOf("sdpa", 8), renderOf("fav2", 4)});
    chart.show();
    letRun(50);
    QCustomPlot* plot = chart.plotOf(TimingChart::View::Stages);
    const auto* hover = dynamic_cast<PlotHover*>(plot->findChild<QObject*>("hover"));
    ASSERT_NE(hover, nullptr);
    move(plot, {plot->xAxis->coordToPixel(1), plot->yAxis->coordToPixel(2)});  // rows from the top: 3, 2
    EXPECT_EQ(hover->shown(), "fav2: 6.00 s\ntext 1.00 s\ndenoise 4.00 s\ndecode 1.00 s");
    move(plot, {1, 1});
    EXPECT_EQ(hover->shown(), "");
}

}  // namespace
}  // namespace reelgrid::widgets
