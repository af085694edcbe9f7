// Two hundred actions by chance, from a seed: whatever a person does, the window and its session agree.

#include <QMouseEvent>
#include <QWheelEvent>
#include <random>

#include "app/studio/blind_test_view.h"
#include "core/session/session_json.h"
#include "nlohmann/json.hpp"
#include "tests/studio/window_fixture.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {
namespace {

constexpr int kActions = 200;

/// These ask for a file, end the program, render, or open one window more. So does whatever ends in "…".
const QStringList kLeftOut{"save", "quit",  "render",       "open-demo", "open-four-steps",
                           "keys", "about", "blind-results"};

class RandomActions : public WindowTest, public testing::WithParamInterface<unsigned> {
  protected:
    nlohmann::json shownNow() {
        session::Session session = m_window.sessions().shown().current(m_window.editor().request());
        session.playheadSeconds = 0;
        return toJson(session, m_folder);
    }
    void settle() {
        SessionHistory& history = m_window.sessions().history();
        ASSERT_TRUE(waitUntil([&] {
            history.look();
            return !history.isWaiting();
        }));
    }
    void press(int key) {
        QKeyEvent down(QEvent::KeyPress, key, Qt::NoModifier);
        QWidget& target = m_window.blindTest().isRunning() ? static_cast<QWidget&>(m_window.blindTestView())
                                                           : static_cast<QWidget&>(m_window);
        QCoreApplication::sendEvent(&target, &down);
    }
    void useMouse(std::mt19937& chance) {
        widgets::VideoGrid& grid = m_window.grid();
        const QPointF at(int(chance() % unsigned(grid.width())), int(chance() % unsigned(grid.height())));
        const QPointF global = grid.mapToGlobal(at);
        if (chance() % 2 == 0) {
            QWheelEvent wheel(at, global, {}, {0, chance() % 2 == 0 ? 120 : -120}, Qt::NoButton,
                              Qt::NoModifier, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(&grid, &wheel);
            return;
        }
        for (const auto type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease}) {
            QMouseEvent click(type, at, global, Qt::LeftButton,
                              type == QEvent::MouseButtonPress ? Qt::LeftButton : Qt::NoButton,
                              Qt::NoModifier);
            QCoreApplication::sendEvent(&grid, &click);
        }
    }
};

TEST_P(RandomActions, LeaveAConsistentSession) {
    std::mt19937 chance(GetParam());
    std::vector<fs::path> files;
    for (const char* name : {"one.mp4", "two.mp4", "three.mp4", "four.mp4"}) files.push_back(writeClip(name));
    std::ofstream(m_folder / "broken.mp4") << "no video";
    files.push_back(m_folder / "broken.mp4");
    std::vector<QAction*> actions;
    for (const ActionEntry& entry : actionTable())
        if (!kLeftOut.contains(entry.id) && !QString::fromUtf8(entry.text).endsWith(u'…'))
            actions.push_back(m_window.actions()[entry.id]);
    m_window.sessions().open({files[0], files[1]});

    for (int i = 0; i < kActions; ++i) {
        const unsigned kind = chance() % 10;
        std::string what;
        if (kind == 0 && clips().size() < 6) {
            what = "open";
            m_window.sessions().open({files[chance() % files.size()]});
        } else if (kind == 1 && !clips().empty()) {
            what = "rename";
            m_window.comparison().setLabel(clips()[chance() % clips().size()].id,
                                           QString::number(chance() % 100));
        } else if (kind == 2) {
            what = "key";
            constexpr int kKeys[] = {Qt::Key_Left, Qt::Key_Right, Qt::Key_Down, Qt::Key_Escape,
                                     Qt::Key_1,    Qt::Key_2,     Qt::Key_I,    Qt::Key_O,
                                     Qt::Key_J,    Qt::Key_Space};
            press(kKeys[chance() % std::size(kKeys)]);
        } else if (kind == 3 && !m_window.blindTest().isRunning()) {
            what = "mouse";
            useMouse(chance);
        } else {
            QAction* action = actions[chance() % actions.size()];
            what = action->objectName().toStdString();
            action->trigger();
        }
        SCOPED_TRACE(std::to_string(i) + ": " + what);
        if (chance() % 3 == 0) waitUntil([] { return false; }, 5);
        ASSERT_EQ(m_window.grid().tileCount(), int(clips().size()));
        ASSERT_LT(m_window.grid().selected(), int(clips().size()));
        ASSERT_LT(m_window.grid().solo(), int(clips().size()));
        ASSERT_EQ(m_window.blindTest().isRunning(), m_window.actions()["blind-test"]->isChecked());
    }

    if (m_window.blindTest().isRunning()) m_window.actions()["blind-test"]->trigger();
    settle();
    const nlohmann::json end = shownNow();
    // Back to the beginning and here again.
    SessionHistory& history = m_window.sessions().history();
    for (int i = 0; history.canUndo(); ++i) {
        ASSERT_LT(i, 3 * kActions);
        history.undo();
        settle();
    }
    EXPECT_TRUE(clips().empty());
    for (int i = 0; history.canRedo(); ++i) {
        ASSERT_LT(i, 3 * kActions);
        history.redo();
        settle();
    }
    EXPECT_EQ(shownNow(), end) << "seed " << GetParam();

    // What is saved opens as it was.
    ASSERT_TRUE(saveSession(m_folder / "session.json"));
    const std::size_t count = clips().size();
    MainWindow other;
    prepare(other);
    other.sessions().open({m_folder / "session.json"});
    ASSERT_TRUE(waitUntil([&] { return other.comparison().clips().size() == count; }))
        << other.comparison().clips().size() << " of " << count;
    ASSERT_TRUE(waitUntil([&] {
        return std::ranges::all_of(other.comparison().clips(), [&](const ComparedClip& clip) {
            return clip.status.failed || other.playback().info(clip.id) != nullptr;
        });
    }));
    session::Session again = other.sessions().shown().current(other.editor().request());
    again.playheadSeconds = 0;
    EXPECT_EQ(toJson(again, m_folder), end);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomActions, testing::Values(1U, 2U, 3U));

}  // namespace
}  // namespace reelgrid::studio
