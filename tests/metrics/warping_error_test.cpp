#include "core/metrics/warping_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/metrics/optical_flow.h"
#include "tests/metrics/test_clips.h"

namespace reelgrid::metrics {
namespace {

constexpr int kWidth = 96, kHeight = 64;

/// A soft texture that never repeats within the picture.
float textureAt(double x, double y) {
    return float(0.5 + 0.2 * std::sin(0.31 * x + 0.11 * y) + 0.15 * std::sin(0.17 * y - 0.07 * x) +
                 0.1 * std::cos(0.053 * x * 1.7 + 0.29 * y));
}

Plane texture(double shiftX, double shiftY) {
    Plane plane(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) plane.at(x, y) = textureAt(x - shiftX, y - shiftY);
    return plane;
}

/// Frame i is the texture moved by i · speed pixels, `flicker` codes brighter in every second frame.
media::RgbVideo panning(double speed, int frames, int flicker = 0) {
    media::RgbVideo video;
    video.width = kWidth;
    video.height = kHeight;
    for (int frame = 0; frame < frames; ++frame)
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const auto code = 255 * textureAt(x - speed * frame, y) + float(frame % 2 * flicker);
                for (int c = 0; c < 3; ++c)
                    video.pixels.push_back(std::uint8_t(std::lround(std::clamp(code, 0.0F, 255.0F))));
            }
    return video;
}

TEST(OpticalFlow, FindsAShiftOfSeveralPixels) {
    for (const auto& [dx, dy] : {std::pair(0.0, 0.0), {1.5, -0.5}, {6.0, 3.0}}) {
        const Flow flow = opticalFlow(FlowPicture(texture(0, 0)), FlowPicture(texture(dx, dy)));
        double sum = 0;
        int count = 0;
        for (int y = 12; y < kHeight - 12; ++y)
            for (int x = 12; x < kWidth - 12; ++x, ++count)
                sum += std::hypot(double(flow.dx.at(x, y)) - dx, double(flow.dy.at(x, y)) - dy);
        EXPECT_LT(sum / count, 0.1) << dx << ", " << dy;
    }
}

TEST(WarpingError, IsNothingWhereThePictureOnlyMoves) {
    const Series still = warpingError(panning(0, 3));
    EXPECT_EQ(still.perFrame.size(), 2U);
    EXPECT_NEAR(still.mean, 0, 1e-7);
    // A pan by three pixels a frame: without warping the difference is a hundred times as large.
    const media::RgbVideo pan = panning(3, 4);
    double plain = 0;
    for (std::size_t i = 0; i < pan.frameBytes(); ++i) {
        const double difference = (double(pan.frame(0)[i]) - double(pan.frame(1)[i])) / 255;
        plain += difference * difference / double(pan.frameBytes());
    }
    EXPECT_LT(warpingError(pan).mean, plain / 100);
}

TEST(WarpingError, CountsFlickerThatMotionDoesNotExplain) {
    const double smooth = warpingError(panning(2, 4)).mean;
    const double flickering = warpingError(panning(2, 4, 20)).mean;
    EXPECT_GT(flickering, 10 * smooth);
    // A light that goes on and off is no motion: all twenty codes count, squared.
    EXPECT_NEAR(flickering, (20.0 / 255) * (20.0 / 255), 0.05 * (20.0 / 255) * (20.0 / 255));
}

TEST(WarpingError, LooksAtLargePicturesMadeSmaller) {
    const Series series = warpingError(test::movingClip(900, 64, 2));
    EXPECT_EQ(series.perFrame.size(), 1U);
    EXPECT_TRUE(std::isfinite(series.mean));
}

}  // namespace
}  // namespace reelgrid::metrics
