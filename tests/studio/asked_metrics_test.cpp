#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <nlohmann/json.hpp>

#include "app/studio/measure/measure_tools.h"
#include "app/studio/measure/metric_list.h"
#include "core/base/pending_file.h"
#include "tests/studio/window_fixture.h"
#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/metric_table.h"
#include "widgets/measure/metrics_form.h"

namespace reelgrid::studio {
namespace {

using jobs::JobState;

const fs::path kTree = REELGRID_SOURCE_DIR;

class AskedMetricsTest : public WindowTest {
  protected:
    void SetUp() override {
        WindowTest::SetUp();
        tools().jobs().setProgram(kTree / "tests/studio/measuring_program");
    }
    MeasureTools& tools() { return m_window.measuring(); }
    /// The form once it knows what there is.
    widgets::MetricsForm* openForm() {
        widgets::MetricsForm* form = tools().computeMetrics();
        EXPECT_TRUE(waitUntil([&] { return form->box("lpips") != nullptr; }));
        return form;
    }
    [[nodiscard]] bool allMeasured() {
        return std::ranges::all_of(clips(), [](const ComparedClip& clip) { return clip.facts.has_value(); });
    }
    [[nodiscard]] bool someHaveClipScore() {
        return std::ranges::any_of(clips(), [](const ComparedClip& clip) {
            return clip.facts && clip.facts->result.metrics.clipScore;
        });
    }
};

TEST_F(AskedMetricsTest, WhatCannotBeComputedSaysWhatItLacksAndCannotBeTicked) {
    widgets::MetricsForm* form = openForm();
    EXPECT_TRUE(form->box("lpips")->isEnabled());
    EXPECT_FALSE(form->box("vmaf")->isEnabled());
    EXPECT_TRUE(form->box("vmaf")->toolTip().contains("REELGRID_FFMPEG"));
    bool isSaid = false;
    for (const QLabel* label : form->findChildren<QLabel*>())
        isSaid = isSaid || label->text().contains("an FFmpeg with the filter libvmaf was needed");
    EXPECT_TRUE(isSaid);
    // Two networks of one measure.
    form->box("clip")->setChecked(true);
    form->box("clip_l14")->setChecked(true);
    form->box("lpips")->setChecked(true);
    EXPECT_EQ(form->chosen(), (QStringList{"lpips", "clip_l14"}));
    // Another folder is looked through, and what was ticked stays.
    form->setWeights("/some/weights");
    EXPECT_TRUE(waitUntil([&] { return form->box("vmaf") != nullptr && form->box("vmaf")->isEnabled(); }));
    EXPECT_EQ(form->chosen(), (QStringList{"lpips", "clip_l14"}));
    EXPECT_EQ(form->arguments(), (QStringList{"metrics", "--json", "--keep", "--metrics=lpips,clip_l14",
                                              "--metric-weights=/some/weights"}));
}

TEST_F(AskedMetricsTest, NothingTickedCannotBeMeasuredAndTheButtonSaysWhy) {
    widgets::MetricsForm* form = tools().computeMetrics();
    auto* measure = form->findChild<QPushButton*>("primary");
    ASSERT_NE(measure, nullptr);
    EXPECT_FALSE(measure->isEnabled()) << "what there is isn't known yet";
    ASSERT_TRUE(waitUntil([&] { return form->box("lpips") != nullptr; }));
    EXPECT_FALSE(measure->isEnabled());
    EXPECT_TRUE(measure->toolTip().contains("Nothing is ticked")) << measure->toolTip().toStdString();
    form->box("lpips")->setChecked(true);
    EXPECT_TRUE(measure->isEnabled());
    EXPECT_TRUE(measure->toolTip().isEmpty());
    form->box("lpips")->setChecked(false);
    EXPECT_FALSE(measure->isEnabled());
    // What was ticked before is ticked again where it can be.
    form->box("clip")->setChecked(true);
    form->setChoices({{"clip", "clip_score", "B/32", ""}});
    EXPECT_TRUE(measure->isEnabled());
    form->setChoices({{"clip", "clip_score", "", "weights"}});
    EXPECT_FALSE(measure->isEnabled());
    EXPECT_TRUE(measure->toolTip().contains("None of these")) << measure->toolTip().toStdString();
    form->setProblem("no program");
    EXPECT_FALSE(measure->isEnabled());
}

TEST_F(AskedMetricsTest, AfterRendersIsSwitchedOffWithoutMeasuring) {
    widgets::MetricsForm* form = openForm();
    form->box("clip")->setChecked(true);
    form->setAfterRenders(true);
    Q_EMIT form->submitted();
    form = openForm();
    ASSERT_TRUE(form->afterRenders());
    form->box("clip")->setChecked(false);
    form->setAfterRenders(false);
    EXPECT_FALSE(openForm()->afterRenders());
}

TEST_F(AskedMetricsTest, OfTheClipsOnShowTheyAreChartedAndStandInTheTableAndTheReport) {
    const fs::path sdpa = writeClip("sdpa.mp4"), fav2 = writeClip("fav2.mp4");
    m_window.sessions().open({sdpa, fav2});
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 2 && allMeasured(); }));
    widgets::MetricsForm* form = openForm();
    form->box("lpips")->setChecked(true);
    form->box("clip")->setChecked(true);
    Q_EMIT form->submitted();
    ASSERT_TRUE(waitUntil([&] { return someHaveClipScore(); }))
        << m_window.issues().issues().join("; ").toStdString();
    EXPECT_EQ(m_window.jobs().job("measure-1").state, JobState::Done);
    const auto table = m_window.coherenceChart().numbers().table();
    ASSERT_TRUE(waitUntil(
        [&] { return m_window.coherenceChart().numbers().table().columns.contains("clip_score"); }));
    const auto shown = m_window.coherenceChart().numbers().table();
    EXPECT_EQ(shown.rows.size(), 2u);
    EXPECT_EQ(shown.rows[1][shown.columns.indexOf("clip_score")], "31.25");
    EXPECT_TRUE(shown.csv().contains("clip_score"));
    m_window.coherenceChart().setView(widgets::CoherenceChart::View::Numbers);
    EXPECT_TRUE(m_window.coherenceChart().table().csv().contains("31.25"));

    const fs::path report = m_folder / "report.html";
    m_window.sessions().saveReport(report);
    ASSERT_TRUE(waitUntil([&] { return fs::exists(report); }))
        << m_window.issues().issues().join("; ").toStdString();
    EXPECT_NE(readFile(report).value().find("CLIP score"), std::string::npos);
}

TEST_F(AskedMetricsTest, AfterRendersTheyAreComputedWhereThatWasChosen) {
    widgets::MetricsForm* form = openForm();
    form->box("clip")->setChecked(true);
    form->setAfterRenders(true);
    Q_EMIT form->submitted();
    EXPECT_TRUE(m_window.issues().issues().isEmpty()) << "nothing on show is no problem then";
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    const fs::path session = renderAndWait("a red car");
    ASSERT_TRUE(waitUntil([&] { return someHaveClipScore(); }))
        << m_window.issues().issues().join("; ").toStdString();
    ASSERT_TRUE(waitUntil([&] {
        const auto report = readFile(session.parent_path() / "report.html");
        return report && report->find("CLIP score") != std::string::npos;
    })) << "the report is written anew";
}

TEST_F(AskedMetricsTest, WithoutAReferenceWhatNeedsOneIsSaidAndTheRestComputed) {
    m_window.sessions().open({writeClip("fav2.mp4")});
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 1 && allMeasured(); }));
    widgets::MetricsForm* form = openForm();
    form->box("lpips")->setChecked(true);
    form->box("clip")->setChecked(true);
    Q_EMIT form->submitted();
    ASSERT_TRUE(waitUntil([&] { return someHaveClipScore(); }));
    EXPECT_TRUE(m_window.issues().issues().join("; ").contains("lpips compares with sdpa"));
}

TEST(MetricChoices, AreReadAndWhatIsNoListIsNamed) {
    const auto choices = metricChoicesFrom(R"({"metrics": [{"name": "lpips", "measure": "lpips", "with": "w"},
                                                           {"name": "vmaf", "measure": "vmaf", "missing": "m"}]})");
    ASSERT_TRUE(choices) << choices.error().message;
    EXPECT_EQ((*choices)[0], (widgets::MetricChoice{"lpips", "lpips", "w", ""}));
    EXPECT_EQ((*choices)[1], (widgets::MetricChoice{"vmaf", "vmaf", "", "m"}));
    for (const char* wrong :
         {"[]", "{}", "{\"metrics\": 3}", "{\"metrics\": [3]}", "{\"metrics\": [{\"name\": 1}]}",
          "{\"metrics\": [{\"name\": \"a\"}]}", "nothing"})
        EXPECT_FALSE(metricChoicesFrom(wrong)) << wrong;
}

}  // namespace
}  // namespace reelgrid::studio
