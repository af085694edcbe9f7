#include "app/studio/blind_test.h"

#include <QDialog>
#include <QLabel>
#include <QTableWidget>

#include "app/studio/blind_test_view.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "tests/studio/window_fixture.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {
namespace {

class BlindTestWindow : public WindowTest {
  protected:
    void openThree() {
        m_window.sessions().open({writeClip("one.mp4"), writeClip("two.mp4"), writeClip("three.mp4")});
        ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
        m_window.blindTest().setSeed(3);
    }
    BlindTestView& view() { return m_window.blindTestView(); }
    void answer(int key) {
        const auto before = m_window.sessions().shown().blindVotes().size();
        ASSERT_TRUE(waitUntil([&] {
            QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
            QCoreApplication::sendEvent(&view(), &event);
            return m_window.sessions().shown().blindVotes().size() != before;
        }));
    }
};

TEST_F(BlindTestWindow, ShowsTwoTilesWithoutANameAndTakesVotesByKey) {
    openThree();
    m_window.actions()["blind-test"]->trigger();
    ASSERT_TRUE(m_window.blindTest().isRunning());
    ASSERT_TRUE(view().isVisible());
    EXPECT_FALSE(m_window.grid().isVisible());
    ASSERT_EQ(view().grid().tileCount(), 2);
    for (const auto& tile : view().grid().scene().tiles) {
        EXPECT_TRUE(tile.what.label == "A" || tile.what.label == "B");
        EXPECT_TRUE(tile.what.detail.isEmpty());
        EXPECT_FALSE(tile.what.accent.isValid());
    }
    answer(Qt::Key_Left);
    answer(Qt::Key_Right);
    answer(Qt::Key_Down);
    const auto& votes = m_window.sessions().shown().blindVotes();
    ASSERT_EQ(votes.size(), 3U);
    EXPECT_EQ(votes[0].preference, session::Preference::First);
    EXPECT_EQ(votes[1].preference, session::Preference::Second);
    EXPECT_EQ(votes[2].preference, session::Preference::Neither);
    EXPECT_EQ(m_window.blindTest().voteCount(), 3);
    EXPECT_TRUE(view().progress().contains("3 vote")) << view().progress().toStdString();
    answer(Qt::Key_Backspace);
    EXPECT_EQ(votes.size(), 2U);

    QKeyEvent escape(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier);
    QCoreApplication::sendEvent(&view(), &escape);
    EXPECT_FALSE(m_window.blindTest().isRunning());
    EXPECT_TRUE(m_window.grid().isVisible());
    auto* results = m_window.findChild<QDialog*>("blind-results");
    ASSERT_NE(results, nullptr);
    EXPECT_EQ(results->findChild<QTableWidget*>()->rowCount(), 3);
}

TEST_F(BlindTestWindow, VotesAreInTheSessionInItsHistoryAndInTheReport) {
    openThree();
    m_window.actions()["blind-test"]->trigger();
    answer(Qt::Key_Left);
    answer(Qt::Key_Left);
    const auto votes = m_window.sessions().shown().blindVotes();
    m_window.actions()["undo"]->trigger();
    EXPECT_EQ(m_window.sessions().shown().blindVotes().size(), 1U);
    m_window.actions()["redo"]->trigger();
    EXPECT_EQ(m_window.sessions().shown().blindVotes(), votes);
    ASSERT_TRUE(saveSession(m_folder / "session.json"));
    const auto loaded = session::loadSession(m_folder / "session.json");
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->session.blindVotes, votes);

    bool saved = false;
    QObject::connect(&m_window.sessions(), &SessionController::reportSaved, [&] { saved = true; });
    m_window.sessions().saveReport(m_folder / "report.html");
    ASSERT_TRUE(waitUntil([&] { return saved; })) << m_window.issues().issues().join("; ").toStdString();
    const auto html = readFile(m_folder / "report.html");
    ASSERT_TRUE(html);
    EXPECT_NE(html->find("<h2>Blind test</h2>"), std::string::npos);
    EXPECT_NE(html->find("2 pairs were shown"), std::string::npos);
}

TEST_F(BlindTestWindow, VotesAreOfTheClipsThatWereSeenAlone) {
    openThree();
    m_window.actions()["blind-test"]->trigger();
    for (int i = 0; i < 3; ++i) answer(Qt::Key_Left);  // each pair once
    for (const session::BlindVote& vote : m_window.sessions().shown().blindVotes()) {
        EXPECT_EQ(vote.firstSha256, sha256OfFile(vote.first).value());
        EXPECT_EQ(vote.secondSha256, sha256OfFile(vote.second).value());
    }
    EXPECT_EQ(m_window.blindTest().voteCount(), 3);
    EXPECT_EQ(m_window.blindTest().current().votesOfOthers(), 0);

    fs::remove(m_folder / "one.mp4");
    writeClip("one.mp4", 5);
    EXPECT_EQ(m_window.blindTest().voteCount(), 1);
    EXPECT_EQ(m_window.blindTest().current().votesOfOthers(), 2);
    QKeyEvent escape(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier);
    QCoreApplication::sendEvent(&view(), &escape);
    auto* results = m_window.findChild<QDialog*>("blind-results");
    ASSERT_NE(results, nullptr);
    QString words;
    for (const QLabel* label : results->findChildren<QLabel*>()) words += label->text() + '\n';
    EXPECT_TRUE(words.contains("2 vote")) << words.toStdString();
    EXPECT_TRUE(words.contains("of other clips that were at these places")) << words.toStdString();
}

TEST_F(BlindTestWindow, OneClipIsTooFew) {
    m_window.sessions().open({writeClip("one.mp4")});
    m_window.actions()["blind-test"]->trigger();
    EXPECT_FALSE(m_window.blindTest().isRunning());
    EXPECT_FALSE(m_window.actions()["blind-test"]->isChecked());
    ASSERT_EQ(m_window.issues().issues().size(), 1);
    EXPECT_TRUE(m_window.issues().issues()[0].contains("at least two were needed"));
}

}  // namespace
}  // namespace reelgrid::studio
