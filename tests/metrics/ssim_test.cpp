#include "core/metrics/ssim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/metrics/test_clips.h"

namespace reelgrid::metrics {
namespace {

using test::movingClip;

/// The formula of Wang et al., window by window, in double.
double directSsim(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, int width, int height) {
    double weights[11][11];
    double total = 0;
    for (int y = 0; y < 11; ++y)
        for (int x = 0; x < 11; ++x)
            total += weights[y][x] = std::exp(-((x - 5) * (x - 5) + (y - 5) * (y - 5)) / (2 * 1.5 * 1.5));
    double sum = 0;
    for (int c = 0; c < 3; ++c)
        for (int top = 0; top + 11 <= height; ++top)
            for (int left = 0; left + 11 <= width; ++left) {
                double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
                for (int y = 0; y < 11; ++y)
                    for (int x = 0; x < 11; ++x) {
                        const auto at = std::size_t(((top + y) * width + left + x) * 3 + c);
                        const double w = weights[y][x] / total, p = a[at] / 255.0, q = b[at] / 255.0;
                        ma += w * p;
                        mb += w * q;
                        aa += w * p * p;
                        bb += w * q * q;
                        ab += w * p * q;
                    }
                const double c1 = 1e-4, c2 = 9e-4;
                sum += (2 * ma * mb + c1) * (2 * (ab - ma * mb) + c2) /
                       ((ma * ma + mb * mb + c1) * (aa - ma * ma + bb - mb * mb + c2));
            }
    return sum / (3.0 * (width - 10) * (height - 10));
}

TEST(Ssim, EqualsTheFormulaInDouble) {
    for (const int noise : {1, 10, 80})
        for (const auto& [width, height] : {std::pair{11, 11}, {37, 23}, {64, 48}}) {
            const auto a = movingClip(width, height, 1);
            const auto b = movingClip(width, height, 1, 0.3, noise);
            EXPECT_NEAR(ssim(a.frame(0), b.frame(0), width, height),
                        directSsim(a.frame(0), b.frame(0), width, height), 2e-5)
                << noise << " " << width;
        }
}

TEST(Ssim, KeepsItsPrecisionInFlatBlackAndWhite) {
    for (const int code : {0, 1, 128, 254, 255}) {
        const auto a = test::solidClip(32, 32, 1, code);
        auto b = a;
        b.pixels[3000] = std::uint8_t(b.pixels[3000] ^ 1);
        EXPECT_NEAR(ssim(a.frame(0), b.frame(0), 32, 32), directSsim(a.frame(0), b.frame(0), 32, 32), 2e-5);
    }
}

TEST(Ssim, IsOneOnlyForEqualFrames) {
    const auto a = movingClip(40, 30, 2, 0.5);
    EXPECT_NEAR(ssim(a.frame(0), a.frame(0), 40, 30), 1, 1e-6);
    EXPECT_LT(ssim(a.frame(0), a.frame(1), 40, 30), 0.99);
}

/// Codes that anybody can make again, and the same with an error of up to 5 · `strength` codes.
std::pair<std::vector<std::uint8_t>, std::vector<std::uint8_t>> patterns(int width, int height,
                                                                         int strength) {
    std::vector<std::uint8_t> a, b;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < 3; ++c) {
                const int code = (x * x / 7 + y * 5 + c * 40 + x * y / 29) % 256;
                a.push_back(std::uint8_t(code));
                b.push_back(
                    std::uint8_t(std::clamp(code + ((x * 5 + y * 3 + c * 7) % 11 - 5) * strength, 0, 255)));
            }
    return {a, b};
}

/// What ms_ssim() of pytorch-msssim 1.0.0 says of them in double (data_range 1): its own source, run with
/// numpy in torch's place.
TEST(MsSsim, IsWhatPytorchMsssimSays) {
    struct Case {
        int width, height, strength;
        double expected;
    };
    for (const Case& each : {Case{176, 161, 1, 0.9997510448689431}, Case{163, 200, 4, 0.9966299302457465},
                             Case{240, 192, 12, 0.9784847600672207}}) {
        const auto [a, b] = patterns(each.width, each.height, each.strength);
        EXPECT_NEAR(msSsim(a, b, each.width, each.height), each.expected, 1e-5) << each.strength;
        EXPECT_NEAR(msSsim(a, a, each.width, each.height), 1, 1e-6);
    }
}

}  // namespace
}  // namespace reelgrid::metrics
