#include "core/metrics/temporal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/metrics/test_clips.h"

namespace reelgrid::metrics {
namespace {

using test::movingClip;
using test::solidClip;

/// The textbook formula, two passes in long double.
template <class T>
double directPearson(std::span<const T> a, std::span<const T> b) {
    long double meanA = 0;
    long double meanB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        meanA += a[i];
        meanB += b[i];
    }
    meanA /= static_cast<long double>(a.size());
    meanB /= static_cast<long double>(a.size());
    long double ab = 0;
    long double aa = 0;
    long double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - meanA) * (b[i] - meanB);
        aa += (a[i] - meanA) * (a[i] - meanA);
        bb += (b[i] - meanB) * (b[i] - meanB);
    }
    return double(ab / std::sqrt(aa * bb));
}

TEST(FrameCorrelation, IsPearsonsROfConsecutiveFrames) {
    const auto clip = movingClip(157, 203, 6, 0.4, 20);  // more samples than one block, no round number
    const Series series = frameCorrelation(clip);
    ASSERT_EQ(series.perFrame.size(), 5U);
    double sum = 0;
    for (int i = 0; i < 5; ++i) {
        const double expected = directPearson(clip.frame(i), clip.frame(i + 1));
        EXPECT_NEAR(series.perFrame[std::size_t(i)], expected, 1e-12);
        sum += expected;
    }
    EXPECT_NEAR(series.mean, sum / 5, 1e-12);
}

TEST(FrameCorrelation, IsOneForEqualAndMinusOneForInvertedFrames) {
    auto clip = movingClip(40, 30, 2, 0);
    EXPECT_DOUBLE_EQ(frameCorrelation(clip).mean, 1);
    for (std::size_t i = clip.frameBytes(); i < clip.pixels.size(); ++i)
        clip.pixels[i] = std::uint8_t(255 - clip.pixels[i]);
    EXPECT_DOUBLE_EQ(frameCorrelation(clip).mean, -1);
}

TEST(FrameCorrelation, HasNoValueForFlatFrames) {
    auto clip = movingClip(40, 30, 4, 0.3);
    std::fill_n(clip.pixels.begin() + std::ptrdiff_t(clip.frameBytes()), clip.frameBytes(),
                std::uint8_t(255));
    const Series series = frameCorrelation(clip);
    EXPECT_TRUE(std::isnan(series.perFrame[0]));
    EXPECT_TRUE(std::isnan(series.perFrame[1]));
    EXPECT_EQ(series.mean, series.perFrame[2]);
    EXPECT_TRUE(std::isnan(frameCorrelation(solidClip(40, 30, 3, 7)).mean));
}

TEST(FrameCorrelation, TakesLatents) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal(3.0F, 0.5F);
    std::vector<float> latents(4 * 1001);
    for (float& value : latents) value = normal(random);
    const Series series = frameCorrelation(std::span<const float>(latents), 4);
    ASSERT_EQ(series.perFrame.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(series.perFrame[i],
                    directPearson(std::span<const float>(latents).subspan(i * 1001, 1001),
                                  std::span<const float>(latents).subspan((i + 1) * 1001, 1001)),
                    1e-12);
}

TEST(Flickering, IsOneMinusTheMeanDifference) {
    auto clip = solidClip(30, 20, 3, 100);
    std::fill_n(clip.pixels.begin() + std::ptrdiff_t(clip.frameBytes()), clip.frameBytes(),
                std::uint8_t(151));
    // Differences of 51 and 51 codes.
    EXPECT_DOUBLE_EQ(flickering(frameDifference(clip)).mean, (255 - 51) / 255.0);
    EXPECT_DOUBLE_EQ(flickering(frameDifference(solidClip(30, 20, 3, 9))).mean, 1);
    auto extreme = solidClip(300, 200, 2, 0);
    std::fill(extreme.pixels.begin() + std::ptrdiff_t(extreme.frameBytes()), extreme.pixels.end(),
              std::uint8_t(255));
    EXPECT_DOUBLE_EQ(flickering(frameDifference(extreme)).mean, 0);
}

}  // namespace
}  // namespace reelgrid::metrics
