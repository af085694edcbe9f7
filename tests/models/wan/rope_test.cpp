#include "core/models/wan/rope.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/base/result.h"

namespace reelgrid::models::wan {
namespace {

TEST(RotaryPosEmbed, SharesPairsBetweenFramesRowsAndColumns) {
    RotaryPosEmbed rope(128, 1024, at::kCPU);
    const RopeTable& table = rope.forGrid({3, 4, 5});
    ASSERT_EQ(table.cos_NP.sizes(), at::IntArrayRef({60, 64}));
    const std::int64_t frame = 2, row = 3, column = 1;
    const std::int64_t token = (frame * 4 + row) * 5 + column;
    const auto angle = [](std::int64_t position, double pair, double dim) {
        return static_cast<double>(position) / std::pow(10000.0, 2 * pair / dim);
    };
    EXPECT_FLOAT_EQ(table.sin_NP[token][0].item<float>(), static_cast<float>(std::sin(angle(frame, 0, 44))));
    EXPECT_FLOAT_EQ(table.sin_NP[token][21].item<float>(),
                    static_cast<float>(std::sin(angle(frame, 21, 44))));
    EXPECT_FLOAT_EQ(table.cos_NP[token][22].item<float>(), static_cast<float>(std::cos(angle(row, 0, 42))));
    EXPECT_FLOAT_EQ(table.cos_NP[token][63].item<float>(),
                    static_cast<float>(std::cos(angle(column, 20, 42))));
}

TEST(RotaryPosEmbed, KeepsTheTableOfAGrid) {
    RotaryPosEmbed rope(24, 1024, at::kCPU);
    const void* first = rope.forGrid({2, 2, 2}).cos_NP.data_ptr();
    (void)rope.forGrid({1, 2, 2});
    EXPECT_EQ(rope.forGrid({2, 2, 2}).cos_NP.data_ptr(), first);
}

TEST(RotaryPosEmbed, RejectsAnAxisLongerThanTheModelKnows) {
    RotaryPosEmbed rope(24, 16, at::kCPU);
    try {
        (void)rope.forGrid({1, 17, 2});
        FAIL() << "17 rows were accepted";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    testing::AllOf(testing::HasSubstr("17"), testing::HasSubstr("16")));
    }
}

}  // namespace
}  // namespace reelgrid::models::wan
