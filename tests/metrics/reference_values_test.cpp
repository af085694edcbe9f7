// What other people's implementations say of pictures that anybody can make again. MS-SSIM's are in
// ssim_test.cpp, PSNR's per frame in ffmpeg_agreement_test.cpp, those of networks in tests/perception.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/metrics/psnr.h"
#include "core/metrics/ssim.h"
#include "core/metrics/temporal.h"
#include "core/metrics/warping_error.h"

namespace reelgrid::metrics {
namespace {

/// Two frames: a pattern, and the same with an error of up to 5 · `strength` codes.
media::RgbVideo patternClip(int width, int height, int strength) {
    media::RgbVideo video{width, height, {8, 1}, {}};
    for (const int error : {0, strength})
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                for (int c = 0; c < 3; ++c) {
                    const int code = (x * x / 7 + y * 5 + c * 40 + x * y / 29) % 256;
                    const int off = ((x * 5 + y * 3 + c * 7) % 11 - 5) * error;
                    video.pixels.push_back(std::uint8_t(std::clamp(code + off, 0, 255)));
                }
    return video;
}

/// ssim: scikit-image 0.26's structural_similarity in double (gaussian_weights, sigma 1.5, population
/// covariance, data_range 1, channel_axis 2). correlation: numpy's corrcoef of all samples. flickering:
/// VBench's temporal_flickering.py, (255 − mean of cv2.absdiff) / 255. psnr: its formula in numpy.
struct ReferenceCase {
    int width, height, strength;
    double ssim, correlation, flickering, psnr;
};
constexpr ReferenceCase kReferenceCases[] = {
    {64, 48, 1, 0.9859685272653484, 0.9990842212303908, 0.9893893003463745, 38.17437550342436},
    {37, 23, 4, 0.7084259424849488, 0.9827868095042099, 0.9581438302993774, 26.229791974246005},
    {96, 80, 12, 0.5992661479821008, 0.8903396065530472, 0.8825188875198364, 17.130623413425916}};

TEST(ReferenceValues, SsimIsScikitImages) {
    for (const ReferenceCase& each : kReferenceCases) {
        const media::RgbVideo video = patternClip(each.width, each.height, each.strength);
        EXPECT_NEAR(ssim(video.frame(0), video.frame(1), each.width, each.height), each.ssim, 2e-5)
            << each.strength;
    }
}

TEST(ReferenceValues, FrameCorrelationIsNumpys) {
    for (const ReferenceCase& each : kReferenceCases)
        EXPECT_NEAR(frameCorrelation(patternClip(each.width, each.height, each.strength)).mean,
                    each.correlation, 1e-12);
}

TEST(ReferenceValues, FlickeringIsVBenchs) {
    for (const ReferenceCase& each : kReferenceCases)  // cv2 sums in float
        EXPECT_NEAR(flickering(frameDifference(patternClip(each.width, each.height, each.strength))).mean,
                    each.flickering, 1e-6);
}

TEST(ReferenceValues, PsnrIsThatOfItsFormula) {
    for (const ReferenceCase& each : kReferenceCases) {
        const media::RgbVideo video = patternClip(each.width, each.height, each.strength);
        EXPECT_NEAR(psnr(video.frame(0), video.frame(1)), each.psnr, 1e-9);
    }
}

double waveAt(double x, double y) {
    return 0.5 + 0.2 * std::sin(0.31 * x + 0.11 * y) + 0.15 * std::sin(0.17 * y - 0.07 * x) +
           0.1 * std::cos(0.053 * x * 1.7 + 0.29 * y);
}

/// The formula of Lai et al. 2018 (mean square of frame and warped next frame where both are seen), in numpy,
/// with the flow that is known: (3, −2) pixels, and blocks of 8 codes too bright or too dark in the second
/// frame. Ours has to find that flow first.
TEST(ReferenceValues, WarpingErrorIsThatOfTheKnownFlow) {
    constexpr int kWidth = 160, kHeight = 112;
    constexpr double kKnown = 0.000984236831987697, kUnwarped = 0.014408229836052064;
    media::RgbVideo video{kWidth, kHeight, {8, 1}, {}};
    for (int frame = 0; frame < 2; ++frame)
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const double block = (x / 4 + y / 4) % 2 == 0 ? 8.0 / 255 : -8.0 / 255;
                const double value = waveAt(x - 3 * frame, y + 2 * frame) + block * frame;
                const auto code = std::uint8_t(std::floor(std::clamp(255 * value, 0.0, 255.0) + 0.5));
                video.pixels.insert(video.pixels.end(), 3, code);
            }
    const double error = warpingError(video).mean;
    EXPECT_NEAR(error, kKnown, 0.15 * kKnown);
    EXPECT_LT(error, kUnwarped / 10);
}

}  // namespace
}  // namespace reelgrid::metrics
