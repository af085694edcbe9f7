#include "core/protocol/line_buffer.h"

#include <gtest/gtest.h>

namespace reelgrid::protocol {
namespace {

TEST(LineBuffer, JoinsPiecesIntoLines) {
    LineBuffer lines(100);
    lines.append("on");
    EXPECT_FALSE(lines.next());
    lines.append("e\ntwo\n\nthr");
    EXPECT_EQ(lines.next(), "one");
    EXPECT_EQ(lines.next(), "two");
    EXPECT_EQ(lines.next(), "");
    EXPECT_FALSE(lines.next());
    lines.append("ee\n");
    EXPECT_EQ(lines.next(), "three");
}

TEST(LineBuffer, NoticesALineThatNeverEnds) {
    LineBuffer lines(8);
    lines.append("12345678");
    EXPECT_FALSE(lines.next());
    EXPECT_FALSE(lines.overflowed());
    lines.append("9");
    EXPECT_TRUE(lines.overflowed());
}

TEST(LineBuffer, CountsOnlyTheUnfinishedLine) {
    LineBuffer lines(8);
    lines.append("first line\nsecond line\nend");
    while (lines.next()) {
    }
    EXPECT_FALSE(lines.overflowed());
}

}  // namespace
}  // namespace reelgrid::protocol
