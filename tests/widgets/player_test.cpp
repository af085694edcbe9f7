#include "widgets/video_grid/player.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/widgets/fake_clip.h"
#include "tests/widgets/gui_wait.h"

namespace reelgrid::widgets {
namespace {

bool complete(const Player& player) {
    return !player.waiting() && std::ranges::all_of(player.composition().tiles, [](const ComposedTile& tile) {
        return tile.frameIndex >= 0;
    });
}

TEST(Player, ComposesAllClipsAtOneTime) {
    Player player(openFake);
    const double rates[] = {8, 16, 24, 30};
    for (double rate : rates) player.addClip(std::to_string(int(rate)));
    ASSERT_TRUE(waitUntil([&] { return complete(player); }));
    int compositions = 0;
    QObject::connect(&player, &Player::composed, [&](const Composition& composition) {
        ++compositions;
        for (std::size_t i = 0; i < 4; ++i) {
            const int due = std::min(int(composition.seconds * rates[i] + 1e-9), int(2 * rates[i]) - 1);
            EXPECT_EQ(composition.tiles[i].frameIndex, due) << rates[i] << " fps at " << composition.seconds;
            EXPECT_EQ(composition.tiles[i].frame->index, due);
        }
    });
    player.setSpeed(4);
    player.play();
    letRun(700);
    player.pause();
    for (int step : {1, 1, -1, -7, 30, -2}) player.step(step);
    EXPECT_GT(compositions, 40);
}

TEST(Player, HoldsThePlayheadRatherThanShowingTilesOfDifferentTimes) {
    Player player(openFake);
    player.setCacheBytes(0);  // a window of four frames: the slow clip can't be read ahead of time
    player.addClip("100");
    player.addClip("slow 100");
    ASSERT_TRUE(waitUntil([&] { return complete(player); }));
    bool waited = false;
    QObject::connect(&player, &Player::stateChanged, [&] { waited |= player.waiting(); });
    QObject::connect(&player, &Player::composed, [](const Composition& composition) {
        ASSERT_EQ(composition.tiles[0].frameIndex, composition.tiles[1].frameIndex);
        ASSERT_EQ(composition.tiles[0].frame->index, composition.tiles[1].frame->index);
    });
    player.play();
    letRun(800);
    EXPECT_TRUE(waited);
    EXPECT_GT(player.lateTicks(), 0);
    EXPECT_LT(player.clock().position(), 0.7);  // 30 ms a frame of 10 ms: time went with the slow clip
}

TEST(Player, ABrokenClipShowsItsErrorAndStallsNobody) {
    Player player(openFake);
    player.addClip("24");
    const int broken = player.addClip("broken");
    player.addClip("16");
    int failed = 0;
    QObject::connect(&player, &Player::clipFailed, [&](int clip) { failed = clip; });
    ASSERT_TRUE(waitUntil([&] { return failed == broken; }));
    player.play();
    ASSERT_TRUE(waitUntil([&] { return player.composition().tiles[0].frameIndex >= 10; }));
    EXPECT_EQ(player.composition().tiles[1].message, "broken: not a clip");
    EXPECT_GE(player.composition().tiles[2].frameIndex, 6);
}

TEST(Player, ADamagedFrameIsNamedInItsTileOnly) {
    Player player(openFake);
    player.addClip("16");
    player.addClip("holed 16");
    ASSERT_TRUE(waitUntil([&] { return complete(player); }));
    player.seekToStop(5);
    ASSERT_TRUE(waitUntil([&] { return complete(player); }));
    EXPECT_NE(player.composition().tiles[0].frame, nullptr);
    EXPECT_EQ(player.composition().tiles[1].frame, nullptr);
    EXPECT_EQ(player.composition().tiles[1].message, "frame 5: damaged");
    player.step(1);
    ASSERT_TRUE(waitUntil([&] { return complete(player); }));
    EXPECT_NE(player.composition().tiles[1].frame, nullptr);
}

TEST(Player, AClipThatJoinsWhilePlayingIsInStepAtOnce) {
    Player player(openFake);
    player.addClip("16");
    ASSERT_TRUE(waitUntil([&] { return complete(player); }));
    player.play();
    letRun(300);
    player.addClip("slow 16");
    ASSERT_TRUE(waitUntil([&] { return player.composition().tiles.size() == 2 && complete(player); }));
    EXPECT_TRUE(player.clock().playing());
    EXPECT_EQ(player.composition().tiles[0].frameIndex, player.composition().tiles[1].frameIndex);
}

TEST(Player, PlaysEveryFrameInTimeWhenDecodingKeepsUp) {
    Player player(openFake);
    for (int i = 0; i < 9; ++i) player.addClip("16");
    ASSERT_TRUE(waitUntil([&] { return complete(player); }));
    letRun(100);
    std::set<int> shown;
    QObject::connect(&player, &Player::composed,
                     [&](const Composition& composition) { shown.insert(composition.tiles[0].frameIndex); });
    player.play();
    letRun(2100);
    EXPECT_EQ(player.lateTicks(), 0);
    EXPECT_EQ(shown.size(), 32U);
}

TEST(Player, StopsAtTheEndWithoutALoopAndSaysSo) {
    Player player(openFake);
    player.addClip("100");
    ASSERT_TRUE(waitUntil([&] { return complete(player); }));
    player.setLoop(LoopMode::Off);
    player.setSpeed(8);
    player.play();
    ASSERT_TRUE(waitUntil([&] { return !player.clock().playing(); }));
    EXPECT_EQ(player.composition().tiles[0].frameIndex, 199);
}

}  // namespace
}  // namespace reelgrid::widgets
