#include "widgets/video_grid/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace reelgrid::widgets {
namespace {

using testing::ElementsAre;

TEST(Prefetch, ReadsAheadAndKeepsAFewBehind) {
    EXPECT_THAT(wantedFrames({10, PlayDirection::Forward, 0, 99}, 100, 8),
                ElementsAre(10, 11, 12, 13, 14, 15, 9, 8));
    EXPECT_THAT(wantedFrames({10, PlayDirection::Backward, 0, 99}, 100, 8),
                ElementsAre(10, 9, 8, 7, 6, 5, 11, 12));
}

TEST(Prefetch, WrapsWithTheLoop) {
    EXPECT_THAT(wantedFrames({7, PlayDirection::Forward, 4, 8}, 100, 4), ElementsAre(7, 8, 4, 6));
    EXPECT_THAT(wantedFrames({4, PlayDirection::Backward, 4, 8}, 100, 4), ElementsAre(4, 8, 7, 5));
    EXPECT_THAT(wantedFrames({99, PlayDirection::Forward, 0, 99}, 100, 4), ElementsAre(99, 0, 1, 98));
}

TEST(Prefetch, NeverExceedsTheRoomAndNeverRepeats) {
    for (int count : {1, 2, 5, 33})
        for (int capacity : {0, 1, 3, 4, 7, 50})
            for (int current = -1; current <= count; ++current)
                for (auto direction : {PlayDirection::Forward, PlayDirection::Backward}) {
                    const auto wanted = wantedFrames({current, direction, 2, 4}, count, capacity);
                    EXPECT_EQ(int(wanted.size()), std::min(count, capacity));
                    EXPECT_EQ(std::set(wanted.begin(), wanted.end()).size(), wanted.size());
                    for (int index : wanted) EXPECT_TRUE(index >= 0 && index < count);
                }
}

}  // namespace
}  // namespace reelgrid::widgets
