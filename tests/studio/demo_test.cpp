// The comparison that comes with the program, the welcome page, and presenting.

#include <QPushButton>

#include "app/studio/captions.h"
#include "app/studio/empty_state.h"
#include "app/studio/presenter.h"
#include "core/base/resources.h"
#include "tests/studio/window_fixture.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {
namespace {

TEST(DemoSession, IsSmallAndKnowsWhatItWasMadeFrom) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(resourceFolder() / "demo"))
        if (entry.is_regular_file()) bytes += entry.file_size();
    EXPECT_LE(bytes, 3U << 20);
    const auto loaded = session::loadSession(resourceFolder() / "demo" / "session.json");
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(loaded->outside.empty());
    EXPECT_GE(loaded->session.clips.size(), 3U);
    for (const session::SessionClip& clip : loaded->session.clips) {
        const result::ClipResult result = result::readClipResult(clip.path);
        EXPECT_TRUE(result.problems.empty());
        ASSERT_TRUE(result.manifest.settings) << clip.path;
        EXPECT_EQ(result.manifest.settings->prompt, loaded->session.request.prompt);
        EXPECT_FALSE(result.timings.empty());
    }
}

TEST_F(WindowTest, TheWelcomePageOpensTheDemoWhichBelongsToNobody) {
    auto* welcome = m_window.findChild<EmptyState*>();
    ASSERT_NE(welcome, nullptr);
    EXPECT_TRUE(welcome->isVisible());
    Q_EMIT welcome->demoClicked();
    ASSERT_TRUE(waitUntil([&] { return clips().size() >= 3; }));
    EXPECT_FALSE(welcome->isVisible());
    EXPECT_TRUE(m_window.sessions().file().empty());
    EXPECT_TRUE(m_window.settings().recentFiles().isEmpty());
    // A render of the same prompt goes to the results folder, not into the program's own.
    m_window.editor().setCheckedBackends({"sdpa"});
    ASSERT_EQ(m_window.editor().problem(), "");
    m_window.editor().submit();
    ASSERT_EQ(m_window.jobs().jobIds().size(), 1);
    const auto* job = m_window.renders().jobs().find(m_window.jobs().jobIds()[0].toStdString());
    EXPECT_TRUE(job->request.output.starts_with((m_folder / "results").string())) << job->request.output;
}

TEST(DemoSession, InFourStepsHasItsFourClips) {
    const auto loaded = session::loadSession(resourceFolder() / "demo" / "four-steps" / "session.json");
    ASSERT_TRUE(loaded) << loaded.error().message;
    std::vector<std::string> labels;
    std::vector<int> steps;
    for (const session::SessionClip& clip : loaded->session.clips) {
        const result::ClipResult result = result::readClipResult(clip.path);
        EXPECT_TRUE(result.problems.empty());
        ASSERT_TRUE(result.manifest.settings) << clip.path;
        EXPECT_EQ(result.manifest.settings->prompt, loaded->session.request.prompt);
        labels.push_back(clip.label);
        steps.push_back(result.manifest.settings->numInferenceSteps);
    }
    EXPECT_EQ(labels,
              (std::vector<std::string>{"20 steps", "4 steps", "4 steps, sla", "4 steps, sagesla + INT8"}));
    EXPECT_EQ(steps, (std::vector{20, 4, 4, 4}));
    EXPECT_EQ(loaded->session.request.model, "demo-turbo");
}

TEST_F(WindowTest, TheWelcomePageOpensTheComparisonInFourSteps) {
    Q_EMIT m_window.findChild<EmptyState*>()->fourStepsClicked();
    ASSERT_TRUE(waitUntil([&] { return clips().size() == 4; }));
    EXPECT_TRUE(m_window.sessions().file().empty());
    EXPECT_EQ(clips()[3].label, "4 steps, sagesla + INT8");
}

TEST_F(WindowTest, PresentsFullScreenWithWhatTheFilesSay) {
    m_window.sessions().openDemo();
    ASSERT_TRUE(waitUntil([&] {
        return clips().size() >= 3 &&
               std::ranges::all_of(clips(), [](const auto& clip) { return clip.facts.has_value(); });
    }));
    m_window.actions()["present"]->trigger();
    EXPECT_TRUE(m_window.isFullScreen());
    Presenter& presenter = m_window.presenter();
    EXPECT_TRUE(presenter.isVisible());
    EXPECT_FALSE(m_window.editor().isVisible());
    EXPECT_EQ(player().clock().loop(), widgets::LoopMode::Whole);
    EXPECT_TRUE(player().clock().playing());
    EXPECT_TRUE(presenter.prompt().contains(m_window.editor().request().prompt.c_str()));
    EXPECT_EQ(presenter.fact(), "One prompt, one seed, one model: only the attention kernel differs");
    presenter.showNext();
    EXPECT_EQ(m_window.grid().selected(), 0);
    EXPECT_TRUE(presenter.fact().startsWith(clips()[0].label));
    presenter.showNext();
    EXPECT_TRUE(presenter.fact().contains("PSNR")) << presenter.fact().toStdString();
    press(Qt::Key_Escape);
    EXPECT_FALSE(presenter.isVisible());
    EXPECT_FALSE(m_window.isFullScreen());
    EXPECT_TRUE(m_window.editor().isVisible());
}

TEST_F(WindowTest, NothingIsSaidThatWasNotMeasured) {
    m_window.sessions().open({writeClip("one.mp4")});
    const std::vector<Fact> facts = factsFor(m_window.comparison());
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_EQ(facts[0].text, "one");
}

TEST_F(WindowTest, RecentFilesAndTheWindowStayForTheNextStart) {
    const fs::path clip = writeClip("one.mp4");
    m_window.sessions().open({clip});
    m_window.actions()["charts"]->setChecked(false);
    m_window.close();
    MainWindow next;
    prepare(next);
    EXPECT_FALSE(next.actions()["charts"]->isChecked());
    EXPECT_EQ(next.settings().recentFiles().value(0).toStdString(), clip.string());
    next.actions()["charts"]->setChecked(true);
    next.close();
}

}  // namespace
}  // namespace reelgrid::studio
