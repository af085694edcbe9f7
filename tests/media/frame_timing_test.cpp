#include "core/media/frame_timing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace reelgrid::media {
namespace {

std::vector<std::int64_t> roundedStamps(double fps, int count, double unitsPerSecond) {
    std::vector<std::int64_t> stamps;
    for (int i = 0; i < count; ++i) stamps.push_back(std::llround(i / fps * unitsPerSecond));
    return stamps;
}

TEST(FrameTiming, UndoesTheRoundingOfACoarseClock) {
    for (const double fps : {8.0, 12.0, 15.0, 16.0, 24.0, 25.0, 30.0, 60.0}) {
        const auto timing = frameTimingOf(roundedStamps(fps, 49, 1000), {1, 1000}, 0, {});
        EXPECT_EQ(timing.fps.value(), fps);
        EXPECT_EQ(timing.seconds[33], 33 / fps);
        EXPECT_EQ(timing.durationSeconds, 49 / fps);
    }
}

TEST(FrameTiming, KnowsNtscRates) {
    const auto timing = frameTimingOf(roundedStamps(24000.0 / 1001, 200, 90000), {1, 90000}, 0, {});
    EXPECT_EQ(timing.fps, (Rational{24000, 1001}));
}

/// Twenty frames on Matroska's clock fit 30 as well as 29.97.
TEST(FrameTiming, TakesAUsualRateThatIsDeclaredAndNoAverage) {
    const std::vector<Rational> ntsc{{30000, 1001}}, whole{{30, 1}}, average{{1600, 101}};
    const auto stamps = roundedStamps(30000.0 / 1001, 20, 1000);
    EXPECT_EQ(frameTimingOf(stamps, {1, 1000}, 33, ntsc).fps, ntsc[0]);
    EXPECT_EQ(frameTimingOf(stamps, {1, 1000}, 33, whole).fps, whole[0]);
    EXPECT_EQ(frameTimingOf(roundedStamps(16, 20, 1000), {1, 1000}, 62, average).fps, (Rational{16, 1}));
    const auto longer = roundedStamps(30000.0 / 1001, 200, 1000);
    EXPECT_EQ(frameTimingOf(longer, {1, 1000}, 33, whole).fps, ntsc[0]) << "30 doesn't fit these";
}

TEST(FrameTiming, KeepsAVariableRateAsItIs) {
    const std::vector<std::int64_t> stamps{100, 140, 150, 200, 330};
    const auto timing = frameTimingOf(stamps, {1, 1000}, 70, {});
    EXPECT_EQ(timing.seconds, (std::vector<double>{0, 0.04, 0.05, 0.1, 0.23}));
    EXPECT_DOUBLE_EQ(timing.durationSeconds, 0.3);
    EXPECT_NEAR(timing.fps.value(), 5 / 0.3, 1e-3);
}

TEST(FrameTiming, GivesASingleFrameItsOwnDuration) {
    const auto timing = frameTimingOf(std::vector<std::int64_t>{7}, {1, 1000}, 125, {});
    EXPECT_EQ(timing.fps, (Rational{8, 1}));
    EXPECT_DOUBLE_EQ(timing.durationSeconds, 0.125);
}

}  // namespace
}  // namespace reelgrid::media
