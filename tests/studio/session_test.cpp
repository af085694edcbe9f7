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
