#include <sys/stat.h>
#include <unistd.h>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/studio/measure/measure_tools.h"
#include "app/studio/measure/measurement_opener.h"
#include "app/studio/measure/render_arguments.h"
#include "core/base/pending_file.h"
#include "tests/studio/window_fixture.h"
#include "widgets/measure/bars_chart.h"
#include "widgets/measure/captures_view.h"
#include "widgets/measure/error_map_view.h"
#include "widgets/measure/heat_chart.h"
#include "widgets/measure/kept_map_form.h"
#include "widgets/measure/kept_map_view.h"
#include "widgets/measure/kernel_form.h"
#include "widgets/measure/kernel_view.h"
#include "widgets/measure/points_chart.h"
#include "widgets/measure/trace_view.h"
#include "widgets/measure/tune_form.h"
#include "widgets/measure/tuning_view.h"
#include "widgets/measure/vae_form.h"
#include "widgets/measure/vae_view.h"

namespace reelgrid::studio {
namespace {

using jobs::JobState;

const fs::path kSource = REELGRID_SOURCE_DIR;
const fs::path kResults = kSource / "tests/fixtures/measurements";

class MeasureTest : public WindowTest {
  protected:
    void SetUp() override {
        WindowTest::SetUp();
        tools().jobs().setProgram(kSource / "tests/studio/measuring_program");
    }
    MeasureTools& tools() { return m_window.measuring(); }
    QList<MeasurementWindow*> windows() { return m_window.findChildren<MeasurementWindow*>(); }
    /// Opens a file as File › Open does, and waits for its window.
    template <class View>
    View* opened(const fs::path& file) {
        const qsizetype before = windows().size();
        m_window.sessions().open({file});
        EXPECT_TRUE(waitUntil([&] { return windows().size() > before; }))
            << file << m_window.issues().issues().join("; ").toStdString();
        return windows().size() > before ? qobject_cast<View*>(windows().last()->view()) : nullptr;
    }
    template <class View>
    View* opened(const char* fixture) {
        return opened<View>(kResults / fixture);
    }
    [[nodiscard]] JobState stateOf(const QString& id) { return tools().jobs().find(id)->state; }
    std::vector<fs::path> savedResults() {
        std::vector<fs::path> files;
        if (fs::exists(tools().resultsFolder()))
            for (const auto& file : fs::directory_iterator(tools().resultsFolder())) files.push_back(file);
        return files;
    }
    static QWidget* plotOf(widgets::MeasureChart& chart) {
        for (auto* child : chart.findChildren<QWidget*>())
            if (child->inherits("QCustomPlot")) return child;
        return nullptr;
    }
    static void mouse(widgets::MeasureChart& chart, QEvent::Type type, const QPointF& at) {
        QWidget* plot = plotOf(chart);
        const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
        QMouseEvent event(type, at, plot->mapToGlobal(at), button, button, Qt::NoModifier);
        QCoreApplication::sendEvent(plot, &event);
    }
};

TEST_F(MeasureTest, AKernelBenchmarkIsShownKeptAndOpensAgain) {
    widgets::KernelForm* form = tools().measureKernels();
    form->setInput("1,2,256,64");
    form->setBackends({"fav2", "sagev1"});
    EXPECT_EQ(form->arguments(),
              (QStringList{"bench", "attention", "--json", "--device=cpu", "--shape=1,2,256,64",
                           "--distribution=normal", "--kernel=fav2,sagev1"}));
    Q_EMIT form->submitted();
    ASSERT_TRUE(waitUntil([&] { return windows().size() == 1 && savedResults().size() == 1; }))
        << m_window.issues().issues().join("; ").toStdString();
    EXPECT_EQ(m_window.jobs().job("measure-1").state, JobState::Done);
    auto* first = qobject_cast<widgets::KernelView*>(windows()[0]->view());
    ASSERT_NE(first, nullptr);
    const auto* bars = first->findChild<widgets::BarsChart*>();
    EXPECT_EQ(bars->barCount(), 4);

    EXPECT_EQ(readFile(savedResults()[0]).value(), windows()[0]->document().toStdString());
    auto* again = opened<widgets::KernelView>(savedResults()[0]);
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(again->findChild<widgets::BarsChart*>()->table().csv(), bars->table().csv());
    EXPECT_EQ(again->findChild<widgets::PointsChart*>()->table().csv(),
              first->findChild<widgets::PointsChart*>()->table().csv());
    EXPECT_TRUE(m_window.issues().issues().isEmpty());
}

TEST_F(MeasureTest, EveryResultHasItsViewAndWhatWasSavedShowsTheSame) {
    EXPECT_NE(opened<widgets::VaeView>("vae.json"), nullptr);
    EXPECT_NE(opened<widgets::TraceView>("trace.json"), nullptr);
    EXPECT_NE(opened<widgets::TraceComparisonView>("traces.json"), nullptr);
    EXPECT_NE(opened<widgets::TuningView>("tuning.json"), nullptr);
    EXPECT_NE(opened<widgets::ErrorMapView>("metrics.json"), nullptr);
    EXPECT_NE(opened<widgets::CapturesView>("captures.json"), nullptr);
    EXPECT_NE(opened<widgets::CapturesView>("capture.json"), nullptr);
    EXPECT_NE(opened<widgets::CapturesView>("kept.json"), nullptr);
    for (MeasurementWindow* window : windows()) {
        ASSERT_TRUE(window->saveAs(m_folder / "saved.json"));
        auto* again = opened<QWidget>(m_folder / "saved.json");
        ASSERT_NE(again, nullptr);
        const auto charts = window->view()->findChildren<widgets::MeasureChart*>();
        const auto after = again->findChildren<widgets::MeasureChart*>();
        ASSERT_EQ(charts.size(), after.size());
        for (int i = 0; i < charts.size(); ++i)  // what is in a capture is read once its window is there
            EXPECT_TRUE(waitUntil([&] { return charts[i]->table().csv() == after[i]->table().csv(); }))
                << window->windowTitle().toStdString();
    }
    EXPECT_TRUE(m_window.issues().issues().isEmpty());
}

TEST_F(MeasureTest, ACancelledMeasurementLeavesNothing) {
    widgets::TuneForm* form = tools().tune();
    form->setBudget("slow>=40");
    Q_EMIT form->submitted();
    ASSERT_TRUE(waitUntil([&] { return tools().jobs().find("measure-1")->etaSeconds > 0; }));
    EXPECT_TRUE(tools().jobs().find("measure-1")->status.startsWith("slow: measuring "));
    EXPECT_EQ(tools().jobs().find("measure-1")->etaSeconds, 39);
    ASSERT_TRUE(waitUntil([&] { return m_window.jobs().job("measure-1").progress > 0.005; }));
    ASSERT_EQ(savedResults().size(), 1U);  // its folder, with a policy
    ASSERT_FALSE(fs::is_empty(savedResults()[0]));
    Q_EMIT m_window.jobs().cancelRequested("measure-1");
    ASSERT_TRUE(waitUntil([&] { return stateOf("measure-1") == JobState::Cancelled; }));
    EXPECT_TRUE(savedResults().empty());
    EXPECT_TRUE(windows().isEmpty());
    EXPECT_TRUE(m_window.issues().issues().isEmpty());
}

TEST_F(MeasureTest, MeasurementsTakeTurnsAndAWaitingOneCanBeCancelled) {
    for (const char* input : {"slow", "1,1,8,8", "1,1,9,8"}) {
        widgets::KernelForm* form = tools().measureKernels();
        form->setInput(input);
        Q_EMIT form->submitted();
    }
    ASSERT_TRUE(waitUntil([&] { return tools().jobs().find("measure-1")->etaSeconds > 0; }));
    EXPECT_EQ(stateOf("measure-2"), JobState::Queued);
    tools().jobs().cancel("measure-2");
    EXPECT_EQ(stateOf("measure-2"), JobState::Cancelled);
    // What only reads doesn't wait.
    EXPECT_NE(opened<widgets::CapturesView>(kSource / "tests/fixtures/pt/upstream-captures"), nullptr);
    EXPECT_EQ(stateOf("measure-3"), JobState::Queued);
    tools().jobs().cancel("measure-1");
    ASSERT_TRUE(waitUntil([&] { return stateOf("measure-3") == JobState::Done; }));
}

TEST_F(MeasureTest, WhatReelgridCliRefusesIsOneIssue) {
    widgets::KernelForm* form = tools().measureKernels();
    form->setInput("refused");
    Q_EMIT form->submitted();
    ASSERT_TRUE(waitUntil([&] { return stateOf("measure-1") == JobState::Failed; }));
    EXPECT_EQ(m_window.issues().issues(),
              QStringList{"Kernels on refused: --shape refused: B,H,N,D was needed"});
    EXPECT_TRUE(savedResults().empty());
    tools().jobs().setProgram("/nowhere/reelgrid-cli");
    Q_EMIT tools().measureVae()->submitted();
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 2; }));
    EXPECT_TRUE(m_window.issues().issues()[1].contains("/nowhere/reelgrid-cli"));
}

TEST_F(MeasureTest, ADamagedResultIsOneIssueAndAnotherFileIsASession) {
    std::ofstream(m_folder / "bad.json")
        << R"({"rows": 3, "clock": "wall", "peak_gflops": {}, "device": "cpu"})";
    m_window.sessions().open({m_folder / "bad.json"});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 1; }));
    EXPECT_TRUE(m_window.issues().issues()[0].contains("bad.json"))
        << m_window.issues().issues()[0].toStdString();
    EXPECT_TRUE(m_window.issues().issues()[0].contains("rows 3"));
    std::ofstream(m_folder / "other.json") << R"({"reelgrid_session": 7})";
    m_window.sessions().open({m_folder / "other.json"});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 2; }));
    EXPECT_TRUE(m_window.issues().issues()[1].contains("other.json"))
        << m_window.issues().issues()[1].toStdString();
    EXPECT_TRUE(windows().isEmpty());
}

TEST(MeasurementOpener, WaitsForNoPipe) {
    const std::filesystem::path pipe =
        std::filesystem::path(testing::TempDir()) / ("pipe_" + std::to_string(getpid()) + ".json");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(openWith(pipe), OpenWith::Document) << "whoever reads it says what is wrong";
    std::filesystem::remove(pipe);
}

TEST_F(MeasureTest, TracesAndCapturesAreOpenedByWhatTheyAre) {
    EXPECT_NE(opened<widgets::TraceView>(kSource / "tests/fixtures/profile/python_torch_cpu.json.gz"),
              nullptr);
    std::ofstream(m_folder / "plain.json") << R"({"schemaVersion": 1, "traceEvents": []})";
    EXPECT_NE(opened<widgets::TraceView>(m_folder / "plain.json"), nullptr);
    auto* one =
        opened<widgets::CapturesView>(kSource / "tests/fixtures/pt/upstream-captures/fav2_input_000000.pt");
    ASSERT_NE(one, nullptr);
    tools().compareTraces("a.json.gz", "b.json.gz");
    ASSERT_TRUE(waitUntil([&] { return windows().size() == 4; }));
    EXPECT_NE(qobject_cast<widgets::TraceComparisonView*>(windows()[3]->view()), nullptr);
}

TEST_F(MeasureTest, AKernelAboveTheMeasuredPeakIsNoted) {
    auto document = nlohmann::json::parse(readFile(kResults / "kernels.json").value());
    document["rows"][1]["peak_share"] = 1.03;
    std::ofstream(m_folder / "fast.json") << document;
    const auto notesIn = [](QWidget* view) {
        QString notes;
        const auto* table = view->findChild<QTableWidget*>();
        for (int row = 0; row < table->rowCount(); ++row) notes += table->item(row, 1)->text() + '\n';
        return notes;
    };
    EXPECT_FALSE(notesIn(opened<widgets::KernelView>("kernels.json")).contains("above the measured peak"));
    EXPECT_TRUE(
        notesIn(opened<widgets::KernelView>(m_folder / "fast.json")).contains("above the measured peak"));
}

TEST_F(MeasureTest, TwoTracesSayWhatOfThemDoesNotCount) {
    const auto textsOf = [](QWidget* view) {
        QString texts;
        for (const auto* label : view->findChildren<QLabel*>()) texts += label->text() + '\n';
        for (const auto* table : view->findChildren<QTableWidget*>())
            for (int column = 0; column < table->columnCount(); ++column)
                texts += table->item(0, column)->text() + '\n';
        return texts;
    };
    auto document = nlohmann::json::parse(readFile(kResults / "traces.json").value());
    auto* plain = opened<widgets::TraceComparisonView>("traces.json");
    EXPECT_FALSE(textsOf(plain).contains("no time of a device"));
    EXPECT_FALSE(textsOf(plain).contains("left out"));
    EXPECT_FALSE(textsOf(plain).contains("the decode"));
    document["decode_before"] = true;
    document["decode_after"] = false;
    document["device_after"] = 0.3;
    document["left_out_before"] = 2;
    document["names"][0].erase("before");
    document["names"][0].erase("difference");
    document["names"][0]["calls_before"] = 0;
    document["names"][0]["left_out_before"] = 2;
    std::ofstream(m_folder / "two.json") << document;
    const QString shown = textsOf(opened<widgets::TraceComparisonView>(m_folder / "two.json"));
    EXPECT_TRUE(shown.contains("the decode was recorded before alone")) << shown.toStdString();
    EXPECT_TRUE(shown.contains("The trace before has no time of a device")) << shown.toStdString();
    EXPECT_TRUE(shown.contains("without the 300 ms")) << shown.toStdString();
    EXPECT_TRUE(shown.contains("Events before, left out")) << shown.toStdString();
    EXPECT_TRUE(shown.contains("\nleft out\n")) << shown.toStdString();
    EXPECT_TRUE(shown.contains("\n0 (2 left out)\n")) << shown.toStdString();
}

TEST_F(MeasureTest, TheChosenCaptureIsReadAndAnotherHeadToo) {
    auto* view = opened<widgets::CapturesView>(kSource / "tests/fixtures/pt/upstream-captures");
    ASSERT_NE(view, nullptr);
    auto* map = view->findChild<widgets::HeatChart*>();
    ASSERT_TRUE(waitUntil([&] { return map->cells().columns == 10; })) << view->problem().toStdString();
    EXPECT_EQ(map->cells().rows, 6);
    letRun(50);  // laid out
    mouse(*map, QEvent::MouseMove, map->pixelOf(3, 2));
    EXPECT_TRUE(map->reading().contains("queries 2, keys 3:")) << map->reading().toStdString();

    tools().jobs().setProgram("/nowhere/reelgrid-cli");
    view->findChild<QSpinBox*>()->setValue(0);
    ASSERT_TRUE(waitUntil([&] { return !view->problem().isEmpty(); }));
    EXPECT_TRUE(view->problem().contains("/nowhere/reelgrid-cli"));
}

TEST_F(MeasureTest, ASparseBackendsMapOfACaptureIsShown) {
    auto* view = opened<widgets::CapturesView>(kSource / "tests/fixtures/pt/upstream-captures");
    ASSERT_NE(view, nullptr);
    auto* form = view->findChild<widgets::KeptMapForm*>();
    auto* backends = form->findChild<QComboBox*>();
    EXPECT_EQ(form->arguments(), QStringList());
    ASSERT_GE(backends->findText("sparge"), 0);
    EXPECT_LT(backends->findText("fav2"), 0) << "it leaves nothing out";
    backends->setCurrentText("sagesla");
    letRun(1);  // the fields of another backend go
    auto* share = form->findChild<QLineEdit*>();
    ASSERT_NE(share, nullptr);
    share->setText("0.5");
    EXPECT_EQ(form->arguments(), (QStringList{"--map=sagesla", "--sla-topk=0.5"}));
    backends->setCurrentText("sparge");
    for (auto* field : form->findChildren<QLineEdit*>())
        if (field->accessibleName() == "cdfthreshd") {
            field->setText("0.9");
            Q_EMIT field->editingFinished();
        }
    EXPECT_EQ(form->arguments(), (QStringList{"--map=sparge", "--backend-option=sparge.cdfthreshd=0.9"}));
    auto* shown = view->findChild<widgets::KeptMapView*>();
    auto* map = shown->findChild<widgets::HeatChart*>();
    ASSERT_TRUE(waitUntil([&] { return map->cells().columns == 5; })) << view->problem().toStdString();
    EXPECT_EQ(map->cells().rows, 3);
    EXPECT_EQ(map->cells().at(1, 1), 0.4);
    EXPECT_TRUE(std::isnan(map->cells().at(0, 1))) << "it is left out";
    ASSERT_TRUE(waitUntil([&] { return shown->isVisible(); }));
    letRun(50);  // laid out
    mouse(*map, QEvent::MouseMove, map->pixelOf(1, 2));
    EXPECT_TRUE(map->reading().contains("tokens 256–299: frames 2, rows 5–9, columns 0–9") &&
                map->reading().contains("left out, 2 %"))
        << map->reading().toStdString();
    shown->findChild<QCheckBox*>()->setChecked(true);
    EXPECT_TRUE(std::isnan(map->cells().at(1, 1)));
    EXPECT_EQ(map->cells().at(0, 1), 0.01);
    EXPECT_EQ(shown->findChild<widgets::BarsChart*>()->barCount(), 2);
}

TEST_F(MeasureTest, AnErrorMapIsReadAndLeadsToTheBackendsClip) {
    const fs::path metrics = m_folder / "maps/wan_result_t2v_attn_sdpa_64x64.files/metrics.json";
    fs::create_directories(metrics.parent_path());
    fs::copy_file(kResults / "metrics.json", metrics);
    writeClip("maps/wan_result_t2v_attn_sdpa_64x64.mp4");
    writeClip("maps/wan_result_t2v_attn_fav2_64x64.mp4");
    auto* view = opened<widgets::ErrorMapView>(metrics);
    ASSERT_NE(view, nullptr);
    const auto charts = view->findChildren<widgets::HeatChart*>();
    ASSERT_EQ(charts.size(), 2);
    letRun(50);
    const auto map = std::get<metrics::LockstepMap>(
        measurements::measurementFrom(nlohmann::json::parse(readFile(metrics).value())).value());
    mouse(*charts[0], QEvent::MouseMove, charts[0]->pixelOf(1, 4));
    const QString l1 = QString::number(map.backends[0].attention.relativeL1[map.site(3, 1)], 'g', 4);
    EXPECT_TRUE(charts[0]->reading().contains("step 1, layer 3") && charts[0]->reading().contains(l1))
        << charts[0]->reading().toStdString();

    mouse(*charts[0], QEvent::MouseButtonPress, charts[0]->pixelOf(1, 4));
    ASSERT_EQ(clips().size(), 1U);
    EXPECT_EQ(clips()[0].label, "fav2");
    EXPECT_EQ(m_window.grid().selected(), 0);
    // sagev1 has no clip there.
    mouse(*charts[1], QEvent::MouseButtonPress, charts[1]->pixelOf(0, 0));
    EXPECT_EQ(m_window.issues().issues().size(), 1);
    EXPECT_EQ(clips().size(), 1U);
}

TEST_F(MeasureTest, ErrorMapsAreMadeWhereNoClipOnShowHasThem) {
    m_window.editor().setCheckedBackends({"sdpa", "fav2", "sagev1"});
    tools().showErrorMaps();
    ASSERT_TRUE(waitUntil([&] { return windows().size() == 1; }))
        << m_window.issues().issues().join("; ").toStdString();
    EXPECT_NE(qobject_cast<widgets::ErrorMapView*>(windows()[0]->view()), nullptr);
    const QString log = tools().jobs().logOf("measure-1");
    EXPECT_TRUE(log.contains("--lockstep=fav2,sagev1")) << log.toStdString();
    EXPECT_TRUE(log.contains("--attention-type=sdpa")) << log.toStdString();
    EXPECT_EQ(savedResults().size(), 1U);

    // Those of the clips on show, not of what is checked.
    m_window.sessions().open({writeClip("a_attn_fav3_32x32.mp4")});
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 1 && clips()[0].facts.has_value(); }));
    tools().showErrorMaps();
    ASSERT_TRUE(waitUntil([&] { return windows().size() == 2; }));
    EXPECT_TRUE(tools().jobs().logOf("measure-2").contains("--lockstep=fav3 "));

    m_window.sessions().close();
    m_window.editor().setCheckedBackends({"sdpa"});
    tools().showErrorMaps();
    EXPECT_EQ(m_window.issues().issues().size(), 1);
}

TEST_F(MeasureTest, ErrorMapsOfTheComparisonAreThoseOfAClipThatHasThem) {
    const fs::path clip = writeClip("a_attn_sdpa_32x32.mp4");
    fs::create_directories(m_folder / "a_attn_sdpa_32x32.files");
    fs::copy_file(kResults / "metrics.json", m_folder / "a_attn_sdpa_32x32.files/metrics.json");
    m_window.sessions().open({clip});
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 1 && clips()[0].facts.has_value(); }));
    tools().showErrorMaps();
    ASSERT_EQ(windows().size(), 1);
    EXPECT_NE(qobject_cast<widgets::ErrorMapView*>(windows()[0]->view()), nullptr);
    EXPECT_TRUE(m_window.issues().issues().isEmpty());
}

TEST_F(MeasureTest, AClickOnAMeasuredPointTakesItsPolicy) {
    auto* view = opened<widgets::TuningView>("tuning.json");
    ASSERT_NE(view, nullptr);
    auto* chart = view->findChild<widgets::PointsChart*>();
    letRun(50);
    int sagev1 = -1;
    for (int i = 0; i < int(chart->series().size()); ++i)
        if (chart->series()[std::size_t(i)].name == "sagev1") sagev1 = i;
    ASSERT_GE(sagev1, 0);
    mouse(*chart, QEvent::MouseButtonPress, chart->pixelOf(sagev1, 0));
    const protocol::AttentionPolicy policy = m_window.editor().request().attentionPolicy;
    ASSERT_EQ(policy.rules.size(), 1U);
    EXPECT_EQ(policy.rules[0].backend, "sagev1");
}

TEST_F(MeasureTest, AClickOnThePredictedCurveOffersToTuneForIt) {
    auto* view = opened<widgets::TuningView>("tuning.json");
    ASSERT_NE(view, nullptr);
    auto* chart = view->findChild<widgets::PointsChart*>();
    letRun(50);
    ASSERT_FALSE(chart->series()[0].points.empty());
    QString asked;
    QObject::connect(view, &widgets::TuningView::budgetChosen,
                     [&](const QString& budget) { asked = budget; });
    Q_EMIT chart->pointClicked(0, 0);
    EXPECT_TRUE(m_window.editor().request().attentionPolicy.empty());
    for (auto* button : view->findChildren<QPushButton*>())
        if (button->isVisible() && button->text().startsWith("Tune for")) button->click();
    const double limit = chart->series()[0].points[0].y();
    ASSERT_TRUE(asked.startsWith("psnr>=")) << asked.toStdString();
    EXPECT_LE(asked.mid(6).toDouble(), limit);
    EXPECT_GT(asked.mid(6).toDouble(), limit - 0.02);
    auto* form = m_window.findChild<widgets::TuneForm*>();
    ASSERT_NE(form, nullptr);
    EXPECT_TRUE(form->arguments().contains("--budget=" + asked));
}

TEST_F(MeasureTest, AChartIsSavedAsPictureDrawingAndTable) {
    auto* view = opened<widgets::KernelView>("kernels.json");
    ASSERT_NE(view, nullptr);
    auto* bars = view->findChild<widgets::BarsChart*>();
    letRun(50);
    ASSERT_TRUE(bars->save(m_folder / "bars.png"));
    EXPECT_GE(QImage(QString::fromStdString((m_folder / "bars.png").string())).width(), 2 * 300);
    ASSERT_TRUE(bars->save(m_folder / "bars.svg"));
    const std::string svg = readFile(m_folder / "bars.svg").value();
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    EXPECT_NE(svg.find("sagev1"), std::string::npos);
    ASSERT_TRUE(bars->save(m_folder / "bars.csv"));
    EXPECT_EQ(readFile(m_folder / "bars.csv").value(), bars->table().csv().toStdString());
    EXPECT_FALSE(bars->save(m_folder / "bars.doc"));
    EXPECT_FALSE(fs::exists(m_folder / "bars.doc"));
}

TEST(RenderArguments, AreTheRequestsOwnWithoutWhatTuneDecides) {
    protocol::RenderRequest request;
    request.prompt = "-5 degrees, \"snow\"";
    request.negativePrompt = "";
    request.height = 64;
    request.guidanceScale = 5.5;
    request.attentionType = "sagev1";
    request.output = "clip.mp4";
    request.numRepetitions = 3;
    const QStringList words = renderArguments(request);
    EXPECT_TRUE(words.contains("--prompt=-5 degrees, \"snow\""));
    EXPECT_EQ(words.value(words.indexOf("--negative-prompt") + 1), "");
    EXPECT_FALSE(words.contains("--prompt-travel")) << "which the program refuses to be empty";
    EXPECT_FALSE(words.contains("--skip-guidance-layers"));
    EXPECT_TRUE(words.contains("--height=64"));
    EXPECT_TRUE(words.contains("--guidance-scale=5.5"));
    EXPECT_TRUE(words.contains("--seed=42"));
    for (const QString& word : words)
        EXPECT_FALSE(word.contains("output") || word.contains("attention") || word.contains("repetitions"))
            << word.toStdString();
}

TEST(MeasureProgress, IsReadFromTheLine) {
    const MeasureProgress told = progressFrom("fav2 (2 of 3): decode 3/12, 1:02:07 left");
    EXPECT_DOUBLE_EQ(told.share, 0.25);
    EXPECT_DOUBLE_EQ(told.etaSeconds, 3727);
    EXPECT_LT(progressFrom("/a/1/2: reading").share, 0);
    EXPECT_LT(progressFrom("note: something").etaSeconds, 0);
}

}  // namespace
}  // namespace reelgrid::studio
