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

/// AVI's and Ogg's clocks tick once a frame: any rate near it is within one tick.
TEST(FrameTiming, TakesTheDeclaredRateWhereTheClockCountsFrames) {
    for (const Rational rate :
         {Rational{2997, 100}, Rational{2997, 125}, Rational{64, 5}, Rational{73, 10}, Rational{101, 10}}) {
        const Rational clock{rate.den, rate.num};
        const std::vector<Rational> agreed{rate, rate}, single{{0, 0}, rate};
        for (const int count : {2, 3, 10, 69}) {
            std::vector<std::int64_t> stamps;
            for (int i = 0; i < count; ++i) stamps.push_back(i);
            EXPECT_EQ(frameTimingOf(stamps, clock, 1, agreed).fps, rate) << count;
            const auto timing = frameTimingOf(stamps, clock, 1, single);
            EXPECT_EQ(timing.fps, rate) << count;
            EXPECT_EQ(timing.seconds.back(), double((count - 1) * rate.den) / double(rate.num));
        }
        // A frame that was left out: the others keep their times.
        const auto gap = frameTimingOf(std::vector<std::int64_t>{0, 1, 2, 4, 5}, clock, 1, agreed);
        EXPECT_DOUBLE_EQ(gap.seconds[3], 4 * clock.value());
        EXPECT_DOUBLE_EQ(gap.durationSeconds, 6 * clock.value());
    }
}

/// GIF declares none; what is guessed for it isn't the delays' mean.
TEST(FrameTiming, TakesEqualDelaysAsTheyAre) {
    const std::vector<Rational> guessed{{57, 4}, {343, 12}};
    for (const int delay : {3, 6, 7, 9, 11}) {
        std::vector<std::int64_t> stamps;
        for (int i = 0; i < 10; ++i) stamps.push_back(std::int64_t(i) * delay);
        const auto timing = frameTimingOf(stamps, {1, 100}, delay, guessed);
        EXPECT_DOUBLE_EQ(timing.fps.value(), 100.0 / delay);
        EXPECT_DOUBLE_EQ(timing.durationSeconds, delay / 10.0);
    }
    // Delays that were rounded are still undone, and one alone says little.
    EXPECT_EQ(frameTimingOf(roundedStamps(16, 10, 100), {1, 100}, 6, guessed).fps, (Rational{16, 1}));
    EXPECT_EQ(frameTimingOf(roundedStamps(8, 2, 100), {1, 100}, 13, {}).fps, (Rational{8, 1}));
    // Milliseconds are exact enough: three frames of WebM at 29.97.
    const std::vector<Rational> ntsc{{30000, 1001}};
    EXPECT_EQ(frameTimingOf(std::vector<std::int64_t>{0, 33, 66}, {1, 1000}, 33, ntsc).fps, ntsc[0]);
}

TEST(FrameTiming, KeepsAVariableRateAsItIs) {
    const std::vector<std::int64_t> stamps{100, 140, 150, 200, 330};
    const auto timing = frameTimingOf(stamps, {1, 1000}, 70, {});
    EXPECT_EQ(timing.seconds, (std::vector<double>{0, 0.04, 0.05, 0.1, 0.23}));
    EXPECT_DOUBLE_EQ(timing.durationSeconds, 0.3);
    EXPECT_NEAR(timing.fps.value(), 5 / 0.3, 1e-3);
}

TEST(FrameTiming, SaysWhereFramesAreUnequalByMoreThanRounding) {
    for (const double fps : {8.0, 12.0, 16.0, 24.0, 24000.0 / 1001, 25.0, 30.0, 60.0})
        for (const double clock : {100.0, 1000.0, 90000.0})
            EXPECT_FALSE(
                frameTimingOf(roundedStamps(fps, 49, clock), {1, std::int64_t(clock)}, 0, {}).unequal)
                << fps << " on " << clock;
    const auto isNear = [](const FrameTiming& timing, double shortest, double longest, bool evened) {
        ASSERT_TRUE(timing.unequal);
        EXPECT_NEAR(timing.unequal->shortest, shortest, 1e-12);
        EXPECT_NEAR(timing.unequal->longest, longest, 1e-12);
        EXPECT_EQ(timing.unequal->isEvened, evened);
    };
    // Two frames, of which a GIF's declared rate is its clock's.
    const std::array<Rational, 1> ofClock{Rational{100, 1}};
    const std::array<std::int64_t, 2> two{0, 10};
    isNear(frameTimingOf(two, {1, 100}, 90, ofClock), 0.1, 0.9, true);
    EXPECT_FALSE(frameTimingOf(two, {1, 100}, 10, ofClock).unequal);
    // Each stamp is within a hundredth of 17 frames/s.
    const auto evened = frameTimingOf(std::vector<std::int64_t>{0, 5, 12, 17, 24}, {1, 100}, 7, {});
    EXPECT_EQ(evened.fps, (Rational{17, 1}));
    isNear(evened, 0.05, 0.07, true);
    isNear(frameTimingOf(std::vector<std::int64_t>{100, 140, 150, 200, 330}, {1, 1000}, 70, {}), 0.01, 0.13,
           false);
    // A GIF that stops at its end; elsewhere a last frame's length is made up.
    const std::vector<std::int64_t> equal{0, 5, 10, 15};
    isNear(frameTimingOf(equal, {1, 100}, 100, {}), 0.05, 1, true);
    EXPECT_FALSE(frameTimingOf(equal, {1, 1000}, 100, {}).unequal);
    // A frame that AVI left out.
    const std::vector<Rational> declared{{25, 1}, {25, 1}};
    isNear(frameTimingOf(std::vector<std::int64_t>{0, 1, 2, 4, 5}, {1, 25}, 1, declared), 0.04, 0.08, false);
    // A telephone's clock.
    EXPECT_FALSE(
        frameTimingOf(std::vector<std::int64_t>{0, 2990, 6010, 9000, 12030}, {1, 90000}, 0, {}).unequal);
}

TEST(FrameTiming, GivesASingleFrameItsOwnDuration) {
    const auto timing = frameTimingOf(std::vector<std::int64_t>{7}, {1, 1000}, 125, {});
    EXPECT_EQ(timing.fps, (Rational{8, 1}));
    EXPECT_DOUBLE_EQ(timing.durationSeconds, 0.125);
}

}  // namespace
}  // namespace reelgrid::media
