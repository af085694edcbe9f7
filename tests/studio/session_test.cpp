#include "tests/studio/window_fixture.h"

#include <QMessageBox>
#include <QPushButton>
#include <nlohmann/json.hpp>

namespace reelgrid::studio {
namespace {

TEST_F(WindowTest, ASavedSessionOpensAsItWas) {
    m_window.sessions().open({writeClip("one.mp4"), writeClip("two.mp4")});
    ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
    player().pause();
    player().setRange(0.125, 0.375);
    protocol::RenderRequest request = m_window.editor().request();
    request.seed = 7;
    request.width = 128;
    m_window.editor().setRequest(request);
    ASSERT_TRUE(saveSession(m_folder / "session.json"));

    MainWindow other;
    other.show();
    other.sessions().open({m_folder / "session.json"});
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
    m_window.sessions().open({writeClip("one.mp4")});
    std::ofstream(m_folder / "bad.json") << "{\"version\": ";
    m_window.sessions().open({m_folder / "bad.json"});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 1; }));
    EXPECT_EQ(clips().size(), 1U);
}

TEST_F(WindowTest, WhatASessionAsksForIsSavedAgainAndRenderedAsItWasAskedFor) {
    session::Session session;
    session.clips = {{writeClip("one.mp4"), "one", "", 0}};
    session.request = m_window.editor().request();
    session.request.scheduler = "euler";
    session.request.flowShift = 2.25;
    session.request.fps = 12;
    session.request.dtype = "fp32";
    session.request.numRepetitions = 2;
    session.request.numFrames = 5;
    ASSERT_TRUE(session::saveSession(session, m_folder / "asked.json"));
    openIn(m_window, m_folder / "asked.json", 1);
    ASSERT_TRUE(saveSession(m_folder / "again.json"));
    EXPECT_EQ(toJson(session::loadSession(m_folder / "again.json")->session.request),
              toJson(session.request));

    m_window.editor().setCheckedBackends({"sdpa"});
    m_window.editor().submit();
    ASSERT_EQ(m_window.jobs().jobIds().size(), 1);
    protocol::RenderRequest rendered =
        m_window.renders().jobs().find(m_window.jobs().jobIds()[0].toStdString())->request;
    rendered.output.clear();
    EXPECT_EQ(toJson(rendered), toJson(session.request));
}

/// Two windows on one session file, and what each is asked about it.
class TwoWindows : public WindowTest {
  protected:
    void openBoth() {
        m_window.sessions().open({m_one, m_two});
        ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
        ASSERT_TRUE(waitUntil([&] { return !m_window.sessions().history().isWaiting(); }));
        ASSERT_TRUE(saveIn(m_window));
        prepare(m_other);
        openIn(m_other, m_file, 2);
        ASSERT_TRUE(
            waitUntil([&] { return m_other.playback().player()->clock().timeline().stopCount() == 9; }));
        for (MainWindow* each : {&m_window, &m_other})
            each->sessions().setChangedFileQuestion(
                [this](const fs::path& file, const std::function<void(ChangedFile)>& answered) {
                    EXPECT_EQ(file, m_file);
                    ++m_asked;
                    answered(m_answer);
                });
    }
    bool saveIn(MainWindow& window) {
        bool saved = false;
        const auto connection =
            QObject::connect(&window.sessions(), &SessionController::saved,
                             [&](const fs::path& written) { saved = saved || written == m_file; });
        window.sessions().save(m_file);
        const bool done = waitUntil([&] { return saved; });
        QObject::disconnect(connection);
        return done;
    }
    void vote(MainWindow& window) const {
        auto votes = window.sessions().shown().blindVotes();
        votes.push_back({m_one, m_two, session::Preference::First});
        window.sessions().shown().setBlindVotes(std::move(votes));
    }
    [[nodiscard]] session::Session inFile() const { return session::loadSession(m_file).value().session; }

    fs::path m_file = m_folder / "session.json";
    fs::path m_one = writeClip("one.mp4"), m_two = writeClip("two.mp4");
    MainWindow m_other;
    int m_asked = 0;
    ChangedFile m_answer = ChangedFile::Cancel;
};

TEST_F(TwoWindows, KeepTheVotesOfBoth) {
    openBoth();
    vote(m_window);
    vote(m_window);
    ASSERT_TRUE(saveIn(m_window));
    vote(m_other);
    ASSERT_TRUE(saveIn(m_other));
    EXPECT_EQ(inFile().blindVotes.size(), 3U) << "the same answers, from two people";
    EXPECT_EQ(m_other.sessions().shown().blindVotes().size(), 3U);
    const QString issues = m_other.issues().issues().join('\n');
    EXPECT_TRUE(issues.contains("2 vote")) << issues.toStdString();
    EXPECT_EQ(m_asked, 0);
    EXPECT_EQ(m_window.sessions().shown().blindVotes().size(), 2U);
    m_answer = ChangedFile::Overwrite;  // a window may have looked at it otherwise
    ASSERT_TRUE(saveIn(m_window));
    EXPECT_EQ(m_window.sessions().shown().blindVotes().size(), 3U);
    EXPECT_EQ(inFile().blindVotes.size(), 3U);
}

TEST_F(TwoWindows, AskBeforeOneOverwritesWhatTheOtherChanged) {
    openBoth();
    m_window.comparison().setLabel(clips()[0].id, "renamed");
    vote(m_window);
    ASSERT_TRUE(saveIn(m_window));
    vote(m_other);
    m_other.sessions().save(m_file);
    ASSERT_TRUE(waitUntil([&] { return m_asked == 1; }));
    EXPECT_EQ(inFile().clips[0].label, "renamed");
    EXPECT_EQ(inFile().blindVotes.size(), 1U) << "nothing was written";

    bool wantsAnotherName = false;
    QObject::disconnect(&m_other.sessions(), &SessionController::saveAsRequested, nullptr, nullptr);
    QObject::connect(&m_other.sessions(), &SessionController::saveAsRequested,
                     [&] { wantsAnotherName = true; });
    m_answer = ChangedFile::SaveAs;
    m_other.sessions().save(m_file);
    ASSERT_TRUE(waitUntil([&] { return wantsAnotherName; }));
    EXPECT_EQ(inFile().clips[0].label, "renamed");

    m_answer = ChangedFile::Overwrite;
    ASSERT_TRUE(saveIn(m_other));
    EXPECT_EQ(m_asked, 3);
    EXPECT_EQ(inFile().clips[0].label, "one");
    EXPECT_EQ(inFile().blindVotes.size(), 2U) << "theirs are kept";
    ASSERT_TRUE(saveIn(m_other));
    EXPECT_EQ(m_asked, 3) << "it is this window's now";
}

TEST_F(WindowTest, EnterDoesNotOpenClipsFromElsewhere) {
    session::Session session;
    session.clips = {{writeClip("here/inside.mp4"), "inside", "", 0},
                     {writeClip("outside.mp4"), "outside", "", 0}};
    ASSERT_TRUE(session::saveSession(session, m_folder / "here/session.json"));
    m_window.sessions().open({m_folder / "here/session.json"});
    QMessageBox* question = nullptr;
    ASSERT_TRUE(waitUntil([&] { return (question = m_window.findChild<QMessageBox*>()) != nullptr; }));
    EXPECT_TRUE(clips().empty());
    ASSERT_NE(question->defaultButton(), nullptr);
    EXPECT_EQ(question->defaultButton()->text(), "Only those inside");
    question->defaultButton()->click();
    ASSERT_EQ(clips().size(), 1U);
    EXPECT_EQ(clips()[0].label, "inside");
}

}  // namespace
}  // namespace reelgrid::studio
