#include "app/cli/frame_rate.h"

#include <gtest/gtest.h>

namespace reelgrid::cli {
namespace {

TEST(FrameRate, ReadsWholeDecimalAndRatio) {
    EXPECT_EQ(frameRateFrom("24").value(), (media::Rational{24, 1}));
    EXPECT_EQ(frameRateFrom("30000/1001").value(), (media::Rational{30000, 1001}));
    EXPECT_EQ(frameRateFrom("23.976").value(), (media::Rational{24000, 1001}));
    EXPECT_DOUBLE_EQ(frameRateFrom("12.5")->value(), 12.5);
}

TEST(FrameRate, RejectsWhatNoClipHas) {
    for (const char* text : {"", "0", "-24", "241", "fast", "24fps", "24/0", "/", "1/2/3", "nan", "1e9"}) {
        const auto rate = frameRateFrom(text);
        ASSERT_FALSE(rate) << text;
        EXPECT_EQ(rate.error().code, ErrorCode::BadUsage);
    }
}

}  // namespace
}  // namespace reelgrid::cli
