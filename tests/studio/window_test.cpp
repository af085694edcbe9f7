#include "tests/studio/window_fixture.h"

namespace reelgrid::studio {
namespace {

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
    m_window.sessions().open({writeClip("one.mp4"), writeClip("two.mp4")});
    ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
    press(Qt::Key_Home);
    player().pause();
    press(Qt::Key_Period);
    press(Qt::Key_Period);
    EXPECT_EQ(player().clock().currentStop(), 2);
    press(Qt::Key_I);
    press(Qt::Key_End);
    press(Qt::Key_Comma);
    press(Qt::Key_O);
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
