// What a clip's manifest says ran is what the window says, whatever sessions and names of files say.
#include <nlohmann/json.hpp>

#include "app/studio/captions.h"
#include "app/studio/presenter.h"
#include "core/protocol/result_paths.h"
#include "tests/result/whole_settings.h"
#include "tests/studio/window_fixture.h"
#include "widgets/charts/timing_chart.h"

namespace reelgrid::studio {
namespace {

class LabelsTest : public WindowTest {
  protected:
    using Change = std::function<void(catalog::RenderSettings&)>;
    /// A clip with the manifest of a render by a backend, and times.
    fs::path rendered(const char* name, const char* backend, const Change& change = {}) {
        fs::path clip = writeClip(name);
        result::Manifest manifest;
        catalog::RenderSettings& settings =
            manifest.settings.emplace(result::wholeSettings("a red car", backend));
        if (change) change(settings);
        manifest.request.emplace();
        manifest.request->attentionType = backend;
        manifest.request->prompt = settings.prompt;
        manifest.modelId = "demo";
        manifest.attention = {{protocol::ModuleKind::Self, backend, backend, "", 4, 0.5}};
        const fs::path files = protocol::resultFolderOf(clip);
        fs::create_directories(files);
        std::ofstream(files / protocol::kManifestFile) << result::toJson(manifest);
        std::ofstream(files / protocol::kTimingFile)
            << R"([{"pipe_time": 3, "stages": {"denoise": 2, "decode": 1}}])";
        return clip;
    }
    void show(const std::vector<session::SessionClip>& shown) {
        session::Session session;
        session.request = m_window.editor().request();
        session.request.prompt = "something else entirely";
        session.clips = shown;
        ASSERT_TRUE(session::saveSession(session, m_folder / "session.json"));
        openIn(m_window, m_folder / "session.json", shown.size());
        ASSERT_TRUE(waitUntil([&] {
            return std::ranges::all_of(clips(), [](const auto& clip) { return clip.facts.has_value(); });
        }));
    }
    [[nodiscard]] std::vector<QString> facts() {
        std::vector<QString> texts;
        for (const Fact& fact : factsFor(m_window.comparison())) texts.push_back(fact.text);
        return texts;
    }
};

TEST_F(LabelsTest, ASessionThatExchangedItsLabelsIsToldByItsManifests) {
    show({{rendered("a.mp4", "sdpa"), "sla", "sla", 0}, {rendered("b.mp4", "sla"), "sdpa", "sdpa", 0}});
    EXPECT_EQ(clips()[0].label, "sdpa (labelled sla)");
    EXPECT_EQ(clips()[0].backend, "sdpa");
    EXPECT_EQ(clips()[1].label, "sla (labelled sdpa)");
    ASSERT_NE(m_window.comparison().reference(), nullptr);
    EXPECT_EQ(m_window.comparison().reference()->path, m_folder / "a.mp4");
    const QString issues = m_window.issues().issues().join('\n');
    EXPECT_EQ(issues.count("a.mp4: its manifest says that sdpa rendered it; it is labelled sla"), 1)
        << issues.toStdString();
    EXPECT_EQ(issues.count("b.mp4: its manifest says that sla rendered it; it is labelled sdpa"), 1);
}

TEST_F(LabelsTest, AFreeCaptionStays) {
    show({{rendered("a.mp4", "sdpa"), "the usual one", "sdpa", 0}});
    EXPECT_EQ(clips()[0].label, "the usual one");
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST_F(LabelsTest, OneRequestIsSaidWhereManifestsProveIt) {
    show({{rendered("a.mp4", "sdpa"), "sdpa", "sdpa", 0}, {rendered("b.mp4", "sla"), "sla", "sla", 0}});
    EXPECT_EQ(facts().front(), "One prompt, one seed, one model: only the attention kernel differs");
    EXPECT_EQ(promptOf(m_window.comparison(), "something else entirely"), "a red car");
    m_window.sessions().open({writeClip("unknown.mp4")});
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 3 && clips()[2].facts.has_value(); }));
    EXPECT_TRUE(facts().front().startsWith("sdpa")) << facts().front().toStdString();
}

TEST_F(LabelsTest, ClipsOfSeveralRequestsAreNotPresentedAsOne) {
    const auto other = [](catalog::RenderSettings& settings) {
        settings.prompt = "a green tree";
        settings.seed = 9;
        settings.numInferenceSteps = 1;
    };
    show(
        {{rendered("a.mp4", "sdpa"), "sdpa", "sdpa", 0}, {rendered("b.mp4", "sla", other), "sla", "sla", 0}});
    EXPECT_EQ(facts().front(), "More than the attention kernel differs: prompt, seed and steps");
    EXPECT_TRUE(facts()[1].contains("a red car")) << facts()[1].toStdString();
    EXPECT_TRUE(facts()[2].contains("denoises 1.00× as fast as sdpa (differs: prompt, seed and steps)"))
        << facts()[2].toStdString();
    EXPECT_EQ(promptOf(m_window.comparison(), "asked"), "");
    const auto tileSays = [&] { return m_window.grid().scene().tiles[1].what.detail; };
    EXPECT_TRUE(waitUntil([&] {
        return tileSays() ==
               "3.00 s · denoise 1.00× (differs: prompt, seed and steps)\n3.00 s · denoise 1.00× "
               "(differs)\n3.00 s";
    })) << tileSays().toStdString();
    const auto* chart = m_window.findChild<widgets::TimingChart*>();
    EXPECT_TRUE(
        waitUntil([&] { return chart->timings().size() == 2 && chart->timings()[1].otherWork == "steps"; }));
}

TEST_F(LabelsTest, NothingIsSaidOfNoClips) {
    EXPECT_TRUE(facts().empty());
    m_window.actions()["present"]->trigger();
    EXPECT_EQ(m_window.presenter().fact(), "");
}

TEST_F(LabelsTest, AClipThatWasReplacedOnDiskIsOpenedAnewBeforeAReportIsWritten) {
    show({{rendered("a.mp4", "sdpa"), "sdpa", "sdpa", 0}, {rendered("b.mp4", "sla"), "sla", "sla", 0}});
    EXPECT_FALSE(m_window.sessions().reopenReplaced());
    fs::create_hard_link(m_folder / "b.mp4", m_folder / "c.mp4");
    EXPECT_FALSE(m_window.sessions().reopenReplaced()) << "a further name is no other clip";
    EXPECT_EQ(m_window.issues().issues(), QStringList());
    const int first = clips()[0].id, second = clips()[1].id;
    fs::remove(m_folder / "a.mp4");
    rendered("a.mp4", "sagev1");
    fs::path written;
    QObject::connect(&m_window.sessions(), &SessionController::reportSaved,
                     [&](const fs::path& file) { written = file; });
    m_window.sessions().saveReport(m_folder / "page.html");
    ASSERT_EQ(clips().size(), 2U);
    EXPECT_NE(clips()[0].id, first);
    EXPECT_EQ(clips()[1].id, second);
    EXPECT_TRUE(m_window.issues().issues().join('\n').contains("a.mp4: the file was replaced"))
        << m_window.issues().issues().join('\n').toStdString();
    EXPECT_TRUE(waitUntil([&] { return clips()[0].label.startsWith("sagev1"); }))
        << clips()[0].label.toStdString();
    EXPECT_TRUE(waitUntil([&] { return !written.empty(); }));
}

TEST_F(LabelsTest, MarksThatTurnATextsDirectionAreShown) {
    show({{rendered("a.mp4", "sdpa"), "the\u202eusual", "sdpa", 0}});
    EXPECT_EQ(clips()[0].label, "the\\u202eusual");
}

TEST_F(LabelsTest, WhatASessionAsksForThatIsNotThereIsSaidInOneLine) {
    session::Session session;
    session.request = m_window.editor().request();
    session.clips = {{writeClip("a.mp4"), "a", "", 0}};
    session.view.emplace().solo = 50;
    session.view->reference = 77;
    session.charts = {"beauty", "steps"};
    ASSERT_TRUE(session::saveSession(session, m_folder / "session.json"));
    openIn(m_window, m_folder / "session.json", 1);
    const QStringList issues = m_window.issues().issues();
    ASSERT_EQ(issues.size(), 1) << issues.join('\n').toStdString();
    EXPECT_TRUE(
        issues[0].endsWith("left out: view.solo 50 of 1 clips, view.reference 77 of 1 clips, "
                           "charts.measure “beauty”"))
        << issues[0].toStdString();
}

}  // namespace
}  // namespace reelgrid::studio
