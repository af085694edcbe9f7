#include "app/studio/session_history.h"

#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTimer>
#include <fstream>

#include "app/studio/banner.h"
#include "tests/studio/window_fixture.h"

namespace reelgrid::studio {
namespace {

class HistoryTest : public WindowTest {
  protected:
    void openThree() {
        m_window.sessions().open({writeClip("one.mp4"), writeClip("two.mp4"), writeClip("three.mp4")});
        ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
        player().pause();
        settle(m_window);
    }
    SessionHistory& history() { return m_window.sessions().history(); }
    QStringList labels() {
        QStringList labels;
        for (const ComparedClip& clip : clips()) labels.append(clip.label);
        return labels;
    }
    static void settle(MainWindow& window) {
        SessionHistory& history = window.sessions().history();
        ASSERT_TRUE(waitUntil([&] {
            history.look();
            return !history.isWaiting();
        }));
    }
    void run(const char* action) {
        m_window.actions()[action]->trigger();
        settle(m_window);
    }
};

TEST_F(HistoryTest, EveryChangeIsTakenBackAndMadeAgain) {
    openThree();
    m_window.grid().select(1);
    run("remove-clip");
    EXPECT_EQ(labels(), QStringList({"one", "three"}));
    EXPECT_EQ(history().undoName(), "remove clip");
    m_window.grid().select(1);
    run("clip-earlier");
    EXPECT_EQ(labels(), QStringList({"three", "one"}));
    m_window.comparison().setLabel(clips()[0].id, "drei");
    history().look();
    EXPECT_EQ(history().undoName(), "rename clip");
    run("more-columns");
    EXPECT_EQ(m_window.grid().scene().look.columns, 2);

    run("undo");
    EXPECT_EQ(m_window.grid().scene().look.columns, 0);
    run("undo");
    EXPECT_EQ(labels(), QStringList({"three", "one"}));
    run("undo");
    EXPECT_EQ(labels(), QStringList({"one", "three"}));
    run("undo");
    EXPECT_EQ(labels(), QStringList({"one", "two", "three"}));
    for (int i = 0; i < 4; ++i) run("redo");
    EXPECT_EQ(labels(), QStringList({"drei", "one"}));
    EXPECT_EQ(m_window.grid().scene().look.columns, 2);
    EXPECT_FALSE(history().canRedo());
}

TEST_F(HistoryTest, TakingBackARangeKeepsThePlayheadAndTheOtherClipsOpen) {
    openThree();
    player().seekToStop(4);
    const int clip = clips()[0].id;
    player().setRange(0.125, 0.375);
    history().look();
    ASSERT_TRUE(history().canUndo());
    run("undo");
    EXPECT_EQ(player().clock().loop(), widgets::LoopMode::Whole);
    EXPECT_EQ(player().clock().currentStop(), 4);
    EXPECT_EQ(clips()[0].id, clip);
}

TEST_F(HistoryTest, ProcessesThatShareARenderAreTakenBackLikeAnyField) {
    openThree();
    for (auto* box : m_window.editor().findChildren<QSpinBox*>())
        if (box->accessibleName() == "Ulysses degree") box->setValue(3);
    settle(m_window);
    EXPECT_EQ(m_window.editor().request().ulyssesDegree, 3);
    run("undo");
    EXPECT_EQ(m_window.editor().request().ulyssesDegree, std::nullopt);
    run("redo");
    EXPECT_EQ(m_window.editor().request().ulyssesDegree, 3);
}

TEST_F(HistoryTest, AClosedComparisonComesBackWithItsFile) {
    openThree();
    ASSERT_TRUE(saveSession(m_folder / "session.json"));
    EXPECT_FALSE(history().isUnsaved());
    run("close");
    EXPECT_TRUE(clips().empty());
    run("undo");
    EXPECT_EQ(clips().size(), 3U);
    EXPECT_EQ(m_window.sessions().file(), m_folder / "session.json");
}

TEST_F(HistoryTest, ASessionThatWasOpenedIsSavedUntilItIsChanged) {
    openThree();
    EXPECT_TRUE(history().isUnsaved());
    ASSERT_TRUE(saveSession(m_folder / "session.json"));
    MainWindow other;
    prepare(other);
    openIn(other, m_folder / "session.json", 3);
    ASSERT_TRUE(waitUntil([&] { return other.playback().player()->clock().timeline().stopCount() == 9; }));
    SessionHistory& its = other.sessions().history();
    settle(other);
    EXPECT_FALSE(its.isUnsaved());
    EXPECT_FALSE(other.isWindowModified());
    other.playback().player()->seek(0.25);  // the playhead is no change
    its.look();
    EXPECT_FALSE(its.isUnsaved());
    other.comparison().remove(other.comparison().clips()[0].id);
    its.look();
    EXPECT_TRUE(its.isUnsaved());
    EXPECT_TRUE(other.isWindowModified());
}

TEST_F(HistoryTest, WhatACrashLeftIsOfferedAndGoesOn) {
    std::string label;
    {
        MainWindow crashed;
        prepare(crashed);
        crashed.sessions().open({writeClip("one.mp4"), writeClip("two.mp4")});
        ASSERT_TRUE(
            waitUntil([&] { return crashed.playback().player()->clock().timeline().stopCount() == 9; }));
        crashed.comparison().setLabel(crashed.comparison().clips()[1].id, "the second");
        // Autosaved a second after the change; destroyed without having been closed.
        ASSERT_TRUE(waitUntil([&] {
            const auto folder = fs::path(qEnvironmentVariable("XDG_DATA_HOME").toStdString());
            for (const auto& entry : fs::recursive_directory_iterator(folder))
                if (entry.path().extension() == ".json") {
                    const auto left = session::loadUnsavedWork(entry.path());
                    if (left && left->session.clips.size() == 2 &&
                        left->session.clips[1].label == "the second")
                        return true;
                }
            return false;
        }));
    }
    MainWindow next;
    prepare(next);
    ASSERT_TRUE(waitUntil([&] { return next.banner().isVisible(); }));
    EXPECT_TRUE(next.banner().text().contains("unexpectedly")) << next.banner().text().toStdString();
    next.banner().acceptButton()->click();
    ASSERT_TRUE(waitUntil([&] { return next.comparison().clips().size() == 2; }));
    EXPECT_EQ(next.comparison().clips()[1].label, "the second");
    EXPECT_TRUE(waitUntil([&] {
        next.sessions().history().look();
        return next.sessions().history().isUnsaved();
    }));
    next.sessions().close();
    next.close();
    // Taken over, and then left with nothing unsaved.
    MainWindow last;
    prepare(last);
    EXPECT_FALSE(waitUntil([&] { return last.banner().isVisible(); }, 500));
}

TEST_F(HistoryTest, ThatUnsavedWorkCannotBeKeptIsSaid) {
    const QString data = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    const fs::path folder = fs::path(data.toStdString()) / "unsaved";
    fs::remove_all(folder);
    fs::create_directories(folder.parent_path());
    std::ofstream(folder) << "no folder";
    openThree();
    EXPECT_TRUE(waitUntil([&] { return m_window.issues().issues().join("; ").contains("can't be kept"); }));

    const auto closeAndAnswer = [&](QMessageBox::StandardButton answer) {
        bool isAsked = false;
        QTimer::singleShot(0, &m_window, [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            ASSERT_NE(box, nullptr);
            isAsked = box->informativeText().contains("unsaved");
            box->button(answer)->click();
        });
        const bool isClosed = m_window.close();
        EXPECT_TRUE(isAsked);
        return isClosed;
    };
    EXPECT_FALSE(closeAndAnswer(QMessageBox::Cancel));
    EXPECT_TRUE(m_window.isVisible());
    m_window.comparison().setLabel(clips()[0].id, "still kept");
    EXPECT_TRUE(closeAndAnswer(QMessageBox::Discard));
    m_window.show();
    fs::remove(folder);
    EXPECT_TRUE(m_window.close()) << "without a question";
    EXPECT_TRUE(fs::is_directory(folder));
}

}  // namespace
}  // namespace reelgrid::studio
