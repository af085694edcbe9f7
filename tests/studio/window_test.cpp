#include <gtest/gtest.h>
#include <unistd.h>

#include <QCheckBox>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <algorithm>
#include <fstream>

#include "app/studio/main_window.h"
#include "core/media/writer.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/job_panel.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {
namespace {

namespace fs = std::filesystem;

class WindowTest : public testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(m_folder);
        m_window.renders().setResultsFolder(m_folder / "results");
        m_window.renders().setWorker({DRAWING_WORKER, {}});
        m_window.show();
        // The models are looked for in the background: until then nothing can be rendered.
        ASSERT_TRUE(waitUntil([&] { return m_window.editor().problem().isEmpty(); }))
            << m_window.editor().problem().toStdString();
    }
    void TearDown() override { fs::remove_all(m_folder); }

    void renderPrompt(const char* prompt) {
        protocol::RenderRequest request = m_window.editor().request();
        request.prompt = prompt;
        request.width = 64;
        request.height = 48;
        request.numFrames = 17;
        m_window.editor().setRequest(request);
        ASSERT_EQ(m_window.editor().problem(), "");
        Q_EMIT m_window.editor().renderRequested();
    }
    [[nodiscard]] const std::vector<ComparedClip>& clips() { return m_window.comparison().clips(); }
    [[nodiscard]] bool allOnDisk() {
        return std::ranges::all_of(clips(), [](const ComparedClip& clip) { return clip.onDisk; });
    }
    [[nodiscard]] widgets::Player& player() { return *m_window.playback().player(); }
    void press(int key) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_window, &event);
    }
    fs::path writeClip(const char* name, int frames = 9) {
        media::RgbVideo video;
        video.width = 32;
        video.height = 32;
        video.pixels.assign(video.frameBytes() * std::size_t(frames), 90);
        EXPECT_TRUE(media::writeClip(m_folder / name, video));
        return m_folder / name;
    }

    fs::path m_folder = fs::path(testing::TempDir()) / ("window_" + std::to_string(getpid()));
    MainWindow m_window;
};

TEST_F(WindowTest, OffersEveryBackendAndStartsWithBaselineExactAndQuantised) {
    EXPECT_EQ(m_window.editor().checkedBackends(), (QStringList{"sdpa", "fav2", "sagev1"}));
    const QStringList all{"sdpa", "fav2", "fav3", "fav3_fp8", "sagev1", "fav3_sage", "sla"};
    m_window.editor().setCheckedBackends(all);
    EXPECT_EQ(m_window.editor().checkedBackends(), all);
    for (const auto* box : m_window.editor().findChildren<QCheckBox*>())
        EXPECT_EQ(box->toolTip().contains("On the CPU: "), box->text() != "sdpa")
            << box->text().toStdString();
    renderPrompt("a square");
    ASSERT_EQ(clips().size(), 7U);
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    ASSERT_TRUE(waitUntil([&] {
        const auto& tiles = player().composition().tiles;
        return tiles.size() == 7 && tiles[0].frameIndex > 3 &&
               std::ranges::all_of(tiles,
                                   [&](const auto& tile) { return tile.frameIndex == tiles[0].frameIndex; });
    }));
    for (int i = 0; i < 7; ++i) EXPECT_EQ(clips()[std::size_t(i)].label, all[i]);
}

TEST_F(WindowTest, RendersThenPlaysThenExports) {
    renderPrompt("a square");
    ASSERT_EQ(clips().size(), 3U);
    EXPECT_EQ(clips()[0].label, "sdpa");  // first, as the others are measured against it
    EXPECT_EQ(m_window.grid().tileCount(), 3);
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    EXPECT_EQ(m_window.jobs().jobCount(), 3);

    // They play, in step.
    ASSERT_TRUE(waitUntil([&] {
        const auto& tiles = player().composition().tiles;
        return tiles.size() == 3 && tiles[0].frameIndex > 3 && tiles[1].frame && tiles[2].frame;
    }));
    EXPECT_TRUE(player().clock().playing());
    EXPECT_EQ(player().composition().tiles[0].frameIndex, player().composition().tiles[2].frameIndex);
    press(Qt::Key_Space);
    EXPECT_FALSE(player().clock().playing());

    // The charts have what the worker wrote and what was measured here against sdpa.
    ASSERT_TRUE(waitUntil([&] {
        return std::ranges::all_of(clips(),
                                   [](const ComparedClip& clip) { return clip.timing && clip.curves; }) &&
               !clips()[2].curves->points[std::size_t(widgets::FrameMeasure::Psnr)].empty();
    }));
    EXPECT_EQ(clips()[1].timing->stage("denoise"), 2.0);
    EXPECT_EQ(clips()[1].curves->points[std::size_t(widgets::FrameMeasure::Correlation)].size(), 16U);
    EXPECT_EQ(clips()[1].curves->points[std::size_t(widgets::FrameMeasure::Ssim)].size(), 17U);

    int frames = -1;
    QObject::connect(&m_window.gridExport(), &GridExport::finished,
                     [&](const QString&, const QString&, int count) { frames = count; });
    const fs::path output = m_folder / "grid.mp4";
    m_window.exportGrid(output);
    ASSERT_TRUE(waitUntil([&] { return frames >= 0; }));
    EXPECT_EQ(frames, 17);
    const auto written = media::Clip::open(output);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written.value()->info().frameCount(), 17);
    EXPECT_GE(written.value()->info().width, 2 * 64);
    EXPECT_EQ(m_window.issues().issues(), QStringList());
}

TEST_F(WindowTest, APolicyStandsBesideThePlainRenderAndSurvivesASession) {
    m_window.editor().setCheckedBackends({"sdpa", "fav2"});
    renderPrompt("a square");
    std::ofstream(m_folder / "policy.json") << R"({"rules": [{"backend": "sdpa", "steps": [0, 1]}]})";
    m_window.readPolicy(m_folder / "policy.json");
    ASSERT_TRUE(waitUntil([&] { return !m_window.editor().request().attentionPolicy.empty(); }));
    m_window.editor().setCheckedBackends({"fav2"});
    Q_EMIT m_window.editor().renderRequested();
    ASSERT_EQ(clips().size(), 3U);
    EXPECT_EQ(clips()[1].label, "fav2");
    EXPECT_TRUE(clips()[2].label.startsWith("fav2+policy-")) << clips()[2].label.toStdString();
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    EXPECT_NE(clips()[1].path, clips()[2].path);
    EXPECT_EQ(m_window.comparison().reference()->label, "sdpa");

    bool saved = false;
    QObject::connect(&m_window.sessions(), &SessionFiles::saved, [&] { saved = true; });
    m_window.saveSession(m_folder / "session.json");
    ASSERT_TRUE(waitUntil([&] { return saved; }));
    MainWindow other;
    other.show();
    other.open({m_folder / "session.json"});
    ASSERT_TRUE(waitUntil([&] { return other.comparison().clips().size() == 3U; }));
    EXPECT_EQ(other.editor().request().attentionPolicy, m_window.editor().request().attentionPolicy);
    EXPECT_EQ(other.comparison().clips()[2].label, clips()[2].label);
}

TEST_F(WindowTest, APolicyThatCantBeReadIsAnIssueAndChangesNothing) {
    std::ofstream(m_folder / "policy.json") << R"({"rules": [{"backend": "sdpa", "step": 1}]})";
    m_window.readPolicy(m_folder / "policy.json");
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 1; }));
    EXPECT_TRUE(m_window.issues().issues()[0].contains("policy.json: rule 1: \"step\""))
        << m_window.issues().issues()[0].toStdString();
    EXPECT_TRUE(m_window.editor().request().attentionPolicy.empty());
}

TEST_F(WindowTest, AClipWhoseBackendWasReplacedSaysSoOnItsTile) {
    const fs::path clip = writeClip("wan_result_t2v_attn_fav2_48x64.mp4");
    fs::create_directories(m_folder / "wan_result_t2v_attn_fav2_48x64.files");
    std::ofstream(m_folder / "wan_result_t2v_attn_fav2_48x64.files/manifest.json")
        << R"({"request": {"attention_type": "fav2"},
               "attention": [{"module": "self", "requested": "fav2", "used": "sdpa", "calls": 3}]})";
    m_window.open({clip});
    ASSERT_TRUE(waitUntil([&] { return clips()[0].label == "fav2 (ran sdpa)"; }))
        << clips()[0].label.toStdString();
}

TEST_F(WindowTest, AFailedBackendIsNamedAndTheOthersGoOn) {
    renderPrompt("fail, please");
    ASSERT_TRUE(waitUntil([&] { return clips()[0].onDisk && clips()[2].onDisk && clips()[1].failed; }));
    EXPECT_EQ(clips()[1].message, "denoise: 9 GB were needed, 1 GB is free");
    EXPECT_EQ(m_window.issues().issues(), QStringList{"fav2: denoise: 9 GB were needed, 1 GB is free"});
}

TEST_F(WindowTest, AWorkerThatDiesFailsItsJobsAndTheWindowLives) {
    m_window.editor().setCheckedBackends({"sdpa"});
    renderPrompt("die");
    ASSERT_TRUE(waitUntil([&] { return clips()[0].failed; }));
    EXPECT_FALSE(m_window.issues().issues().isEmpty());
    renderPrompt("live");
    ASSERT_TRUE(waitUntil([&] { return !clips().empty() && allOnDisk(); }));
}

TEST_F(WindowTest, ARunningRenderCanBeCancelled) {
    renderPrompt("slow");
    const auto states = [&] {
        std::vector<widgets::JobState> all;
        for (const QString& id : m_window.jobs().jobIds()) all.push_back(m_window.jobs().job(id).state);
        return all;
    };
    ASSERT_TRUE(waitUntil([&] { return std::ranges::count(states(), widgets::JobState::Running) == 1; }));
    for (const QString& id : m_window.jobs().jobIds()) Q_EMIT m_window.jobs().cancelRequested(id);
    ASSERT_TRUE(
        waitUntil([&] { return std::ranges::count(states(), widgets::JobState::Cancelled) == 3; }, 5000));
    for (const ComparedClip& clip : clips()) EXPECT_EQ(clip.message, "cancelled");
}

TEST_F(WindowTest, AnUnreadableClipShowsWhyAndStallsNobody) {
    std::ofstream(m_folder / "broken.mp4") << "not a video at all";
    m_window.open({writeClip("a.mp4"), m_folder / "broken.mp4", writeClip("b.mp4"), m_folder / "absent.mp4"});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 2; }));
    ASSERT_TRUE(waitUntil([&] { return player().composition().tiles[2].frameIndex > 2; }));
    EXPECT_TRUE(clips()[1].failed);
    EXPECT_TRUE(m_window.issues().issues().join(' ').contains("broken.mp4"));
    EXPECT_TRUE(m_window.issues().issues().join(' ').contains("absent.mp4"));
}

TEST_F(WindowTest, ASavedSessionOpensAsItWas) {
    m_window.open({writeClip("one.mp4"), writeClip("two.mp4")});
    ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
    player().pause();
    player().setRange(0.125, 0.375);
    protocol::RenderRequest request = m_window.editor().request();
    request.seed = 7;
    request.width = 128;
    m_window.editor().setRequest(request);
    bool saved = false;
    QObject::connect(&m_window.sessions(), &SessionFiles::saved, [&] { saved = true; });
    m_window.saveSession(m_folder / "session.json");
    ASSERT_TRUE(waitUntil([&] { return saved; }));

    MainWindow other;
    other.show();
    other.open({m_folder / "session.json"});
    ASSERT_TRUE(waitUntil([&] { return other.playback().player()->clock().timeline().stopCount() == 9; }));
    ASSERT_EQ(other.comparison().clips().size(), 2U);
    EXPECT_EQ(other.comparison().clips()[1].label, "two");
    EXPECT_EQ(other.playback().player()->clock().loop(), widgets::LoopMode::Range);
    EXPECT_EQ(other.playback().player()->clock().loopFirstStop(), 2);
    EXPECT_EQ(other.playback().player()->clock().loopLastStop(), 6);
    EXPECT_EQ(other.editor().request().seed, 7U);
    EXPECT_EQ(other.editor().request().width, 128);
    EXPECT_TRUE(other.issues().issues().isEmpty());
}

TEST_F(WindowTest, ASessionThatIsNoneIsAnIssueAndChangesNothing) {
    m_window.open({writeClip("one.mp4")});
    std::ofstream(m_folder / "bad.json") << "{\"version\": ";
    m_window.open({m_folder / "bad.json"});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 1; }));
    EXPECT_EQ(clips().size(), 1U);
}

TEST_F(WindowTest, AnExportThatCannotBeWrittenIsAnIssue) {
    m_window.open({writeClip("one.mp4")});
    m_window.exportGrid(m_folder / "grid.xyz");
    ASSERT_TRUE(waitUntil([&] { return !m_window.issues().issues().isEmpty(); }));
    EXPECT_TRUE(m_window.issues().issues()[0].contains("grid.xyz"));
}

TEST_F(WindowTest, StartsWithASuggestionOfTheDemoModel) {
    EXPECT_EQ(m_window.editor().request().prompt, "a red heart growing bigger in a blue sky");
}

TEST(Window, AMissingPromptGuideIsOneIssueAndTheRestWorks) {
    const fs::path resources = fs::path(testing::TempDir()) / ("no_guide_" + std::to_string(getpid()));
    fs::create_directories(resources);
    qputenv("REELGRID_RESOURCES", QByteArray::fromStdString(resources.string()));
    MainWindow window;
    window.show();
    const bool told = waitUntil([&] { return !window.issues().issues().isEmpty(); });
    qunsetenv("REELGRID_RESOURCES");
    fs::remove_all(resources);
    ASSERT_TRUE(told);
    EXPECT_EQ(window.issues().issues().size(), 1);
    EXPECT_TRUE(window.issues().issues()[0].contains("demo.json"))
        << window.issues().issues()[0].toStdString();
    EXPECT_EQ(window.editor().request().prompt, "");
}

TEST_F(WindowTest, KeysDriveThePlayhead) {
    m_window.open({writeClip("one.mp4"), writeClip("two.mp4")});
    ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
    press(Qt::Key_Home);
    player().pause();
    press(Qt::Key_Period);
    press(Qt::Key_Period);
    EXPECT_EQ(player().clock().currentStop(), 2);
    press(Qt::Key_L);
    press(Qt::Key_End);
    press(Qt::Key_Comma);
    press(Qt::Key_L);
    EXPECT_EQ(player().clock().loopFirstStop(), 2);
    EXPECT_EQ(player().clock().loopLastStop(), 7);
    press(Qt::Key_2);
    EXPECT_EQ(m_window.grid().solo(), 1);
    press(Qt::Key_Escape);
    EXPECT_EQ(m_window.grid().solo(), -1);
    press(Qt::Key_BracketRight);
    EXPECT_NEAR(player().clock().speed(), 1.1, 1e-9);
}

}  // namespace
}  // namespace reelgrid::studio
