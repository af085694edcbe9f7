#include "kernels/attention/half_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace reelgrid::kernels::test {
namespace {

TEST(HalfTypes, EveryValueSurvivesTheRoundTrip) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        if (!std::isnan(floatFromFp16(half))) {
            EXPECT_EQ(fp16FromFloat(floatFromFp16(half)), half);
        }
        if (!std::isnan(floatFromBf16(half))) {
            EXPECT_EQ(bf16FromFloat(floatFromBf16(half)), half);
        }
    }
}

TEST(HalfTypes, RoundToNearestEven) {
    EXPECT_EQ(fp16FromFloat(1.0F + 1.0F / 2048), 0x3C00);  // tie, down to even
    EXPECT_EQ(fp16FromFloat(1.0F + 3.0F / 2048), 0x3C02);  // tie, up to even
    EXPECT_EQ(fp16FromFloat(65519.0F), 0x7BFF);            // the last that stays finite
    EXPECT_EQ(fp16FromFloat(65520.0F), 0x7C00);            // infinity
    EXPECT_EQ(fp16FromFloat(-65520.0F), 0xFC00);
    EXPECT_EQ(fp16FromFloat(std::ldexp(1.0F, -25)), 0x0000);  // half the smallest: tie to zero
    EXPECT_EQ(fp16FromFloat(std::ldexp(1.5F, -25)), 0x0001);
    EXPECT_EQ(bf16FromFloat(1.0F + 1.0F / 256), 0x3F80);
    EXPECT_EQ(bf16FromFloat(1.0F + 3.0F / 256), 0x3F82);
}

TEST(HalfTypes, NanAndInfinityStay) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(std::isnan(floatFromFp16(fp16FromFloat(nan))));
    EXPECT_TRUE(std::isnan(floatFromBf16(bf16FromFloat(nan))));
    EXPECT_TRUE(std::isnan(floatFromBf16(bf16FromFloat(floatFromBits(0x7FFFFFFFU)))));
    EXPECT_EQ(floatFromFp16(fp16FromFloat(-infinity)), -infinity);
    EXPECT_EQ(floatFromBf16(bf16FromFloat(infinity)), infinity);
}

}  // namespace
}  // namespace reelgrid::kernels::test
