#include <QPushButton>
#include <QTest>
#include <fstream>

#include "core/protocol/result_paths.h"
#include "core/result/unfinished_render.h"
#include "tests/result/kept_state.h"
#include "tests/studio/window_fixture.h"
#include "widgets/panels/job_row.h"

namespace reelgrid::studio {
namespace {

class InterruptedTest : public WindowTest {
  protected:
    /// Of one backend; leaves the fifth of ten steps.
    void renderAndDie(const char* prompt = "keep and crash") {
        m_window.editor().setCheckedBackends({"fav2"});
        renderPrompt(prompt);
        ASSERT_TRUE(waitUntil([&] { return clips().size() == 1 && clips()[0].status.failed; }));
    }
    /// As an earlier window leaves it.
    fs::path leave(const fs::path& name, const char* prompt, int steps = 5, const char* backend = "fav2") {
        protocol::RenderRequest request = m_window.editor().request();
        request.prompt = prompt;
        request.attentionType = backend;
        request.width = 64;
        request.height = 48;
        request.numFrames = 17;
        request.output = (m_folder / "results" / name).string();
        EXPECT_TRUE(result::writeUnfinished(request.output, {steps, 10, request}));
        EXPECT_TRUE(steps == 0 || result::writeKeptState(request.output, steps));
        return request.output;
    }
    static fs::path filesOf(const fs::path& clip) { return protocol::resultFolderOf(clip); }
    static std::string beganAt(const fs::path& clip) {
        std::string step;
        std::ifstream(filesOf(clip) / "began_at") >> step;
        return step;
    }
    /// Presses the button with this text in the job panel, as a person with a keyboard does.
    static void pressButton(MainWindow& window, const QString& text) {
        for (auto* button : window.jobs().findChildren<QPushButton*>())
            if (button->text() == text && button->isVisible()) {
                button->setFocus(Qt::TabFocusReason);
                return QTest::keyClick(button, Qt::Key_Space);
            }
        ADD_FAILURE() << "no button " << text.toStdString();
    }
    static int buttons(MainWindow& window, const QString& text) {
        const auto all = window.jobs().findChildren<QPushButton*>();
        return int(std::ranges::count_if(
            all, [&](const auto* each) { return each->text() == text && each->isVisible(); }));
    }
    static widgets::JobView onlyRow(MainWindow& window) {
        const QStringList ids = window.jobs().jobIds();
        return ids.size() == 1 ? window.jobs().job(ids[0]) : widgets::JobView{};
    }
};

TEST_F(InterruptedTest, ARenderWhoseWorkerDiedGoesOnFromItsKeptStep) {
    renderAndDie();
    const fs::path clip = clips()[0].path;
    EXPECT_TRUE(onlyRow(m_window).resumable);
    EXPECT_EQ(buttons(m_window, "From the start"), 1);
    EXPECT_EQ(buttons(m_window, "Discard"), 1);
    pressButton(m_window, "Resume");
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    EXPECT_EQ(beganAt(clip), "5");
    EXPECT_EQ(buttons(m_window, "Resume"), 0);
    EXPECT_EQ(clips().size(), 1U);
}

TEST_F(InterruptedTest, ACancelledRenderGoesOnOrBeginsAnew) {
    m_window.editor().setCheckedBackends({"fav2"});
    renderPrompt("keep slow");
    const fs::path clip = clips()[0].path;
    const auto cancelAfterStep = [&] {
        ASSERT_TRUE(waitUntil([&] { return fs::exists(filesOf(clip) / protocol::kResumeFile); }));
        Q_EMIT m_window.jobs().cancelRequested(m_window.jobs().jobIds()[0]);
        ASSERT_TRUE(waitUntil([&] { return onlyRow(m_window).state == jobs::JobState::Cancelled; }));
    };
    cancelAfterStep();
    EXPECT_EQ(onlyRow(m_window).status, "cancelled, 5 of 10 steps kept");
    EXPECT_EQ(clips()[0].status.message, "cancelled, 5 of 10 steps kept");
    pressButton(m_window, "From the start");
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    EXPECT_EQ(beganAt(clip), "0");
}

TEST_F(InterruptedTest, WhatCantGoOnSaysWhyAndBeginsAnew) {
    renderAndDie("keep, crash, other weights");
    pressButton(m_window, "Resume");
    ASSERT_TRUE(waitUntil([&] { return onlyRow(m_window).status.contains("its transformer's files"); }));
    EXPECT_EQ(buttons(m_window, "Resume"), 0);
    EXPECT_EQ(buttons(m_window, "Discard"), 1);
    pressButton(m_window, "From the start");
    // It dies once more at its fifth step: this time without having been refused.
    EXPECT_TRUE(waitUntil([&] { return buttons(m_window, "Resume") == 1; }));
}

TEST_F(InterruptedTest, ANewWindowOffersWhatAnEarlierOneLeft) {
    const fs::path clip = leave("20261123-120000-a/a.mp4", "keep a square");
    leave("20261123-120001-b/b.mp4", "keep another", 0);
    MainWindow window;
    prepare(window);
    ASSERT_TRUE(waitUntil([&] { return buttons(window, "Discard") == 2; }));
    EXPECT_EQ(buttons(window, "Resume"), 1);
    QStringList words;
    for (const QString& id : window.jobs().jobIds()) words << window.jobs().job(id).status;
    words.sort();
    EXPECT_EQ(words, (QStringList{"interrupted at step 5 of 10", "interrupted before a step was kept"}));

    pressButton(window, "Resume");
    ASSERT_TRUE(waitUntil([&] { return window.comparison().clips().size() == 1 && allOnDisk(window); }));
    EXPECT_EQ(window.comparison().clips()[0].path, clip);
    EXPECT_EQ(beganAt(clip), "5");
    EXPECT_TRUE(waitUntil([&] { return fs::exists(clip.parent_path() / "session.json"); }));
    EXPECT_EQ(window.issues().issues(), QStringList());

    pressButton(window, "Discard");
    EXPECT_TRUE(waitUntil([&] { return !fs::exists(m_folder / "results/20261123-120001-b"); }));
    EXPECT_TRUE(waitUntil([&] { return buttons(window, "Discard") == 0; }));
}

TEST_F(InterruptedTest, ANoteOfStepsThatAreDamagedIsNoOfferToGoOn) {
    const fs::path clip = leave("20261123-120000-a/a.mp4", "keep a square");
    std::ofstream(filesOf(clip) / protocol::kResumeFile) << "latents";
    MainWindow window;
    prepare(window);
    ASSERT_TRUE(waitUntil([&] { return buttons(window, "Discard") == 1; }));
    EXPECT_EQ(buttons(window, "Resume"), 0);
    EXPECT_EQ(buttons(window, "From the start"), 1);
    EXPECT_TRUE(onlyRow(window).status.startsWith("interrupted, can’t go on: "))
        << onlyRow(window).status.toStdString();
    EXPECT_TRUE(onlyRow(window).status.contains("resume.safetensors"));
}

TEST_F(InterruptedTest, ItJoinsTheComparisonThatItIsAPartOf) {
    m_window.editor().setCheckedBackends({"sdpa"});
    const fs::path session = renderAndWait("keep a square");
    const fs::path folder = session.parent_path().filename();
    leave(folder / "fav2.mp4", "keep a square");
    leave(folder / "sagev1.mp4", "keep a square", 5, "sagev1");
    MainWindow window;
    prepare(window);
    ASSERT_TRUE(waitUntil([&] { return window.jobs().jobCount() == 2; }));
    window.actions()["resume-renders"]->trigger();
    ASSERT_TRUE(waitUntil([&] { return window.comparison().clips().size() == 3 && allOnDisk(window); }));
    EXPECT_EQ(window.comparison().clips()[0].label, "sdpa");
    EXPECT_TRUE(waitUntil([&] { return session::loadSession(session)->session.clips.size() == 3U; }));
}

TEST_F(InterruptedTest, AFolderThatIsOpenedOffersItsOwn) {
    m_window.editor().setCheckedBackends({"sdpa"});
    const fs::path folder = m_folder / "elsewhere";
    fs::create_directories(folder);
    fs::rename(filesOf(leave("x/a.mp4", "keep a square")), folder / "a.files");
    m_window.sessions().open({folder});
    ASSERT_TRUE(waitUntil([&] { return buttons(m_window, "Resume") == 1; }));
    letRun(100);
    EXPECT_EQ(m_window.issues().issues(), QStringList());
    // A new render drops the rows of what has ended, this one not.
    renderPrompt("a square");
    EXPECT_EQ(buttons(m_window, "Resume"), 1);
    ASSERT_TRUE(waitUntil([&] { return allOnDisk(); }));
    pressButton(m_window, "Resume");
    EXPECT_TRUE(waitUntil([&] { return fs::exists(folder / "a.mp4"); }));
}

}  // namespace
}  // namespace reelgrid::studio
