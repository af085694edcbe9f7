#include "core/session/same_work.h"

#include <gtest/gtest.h>

namespace reelgrid::session {
namespace {

ClipMeasurements rendered(std::vector<double> denoise, double self, std::optional<double> cross) {
    ClipMeasurements measured;
    for (const double seconds : denoise) {
        RunTiming run;
        run.stages = {{"text", 0.5}, {"denoise", seconds}, {"decode", 2.0}};
        measured.runs.push_back(run);
    }
    measured.attention = {{"self", "fav2", "fav2", "", 320, self}, {"cross", "sdpa", "sdpa", "", 320, cross}};
    return measured;
}

TEST(SameWork, IsWhatDenoisingTookOutsideAllAttention) {
    const ClipMeasurements once = rendered({30}, 9, 1);
    EXPECT_DOUBLE_EQ(attentionSeconds(once, "self").value(), 9);
    EXPECT_DOUBLE_EQ(secondsOutsideAttention(once).value(), 20);
}

TEST(SameWork, CountsAttentionPerRepetition) {
    const ClipMeasurements twice = rendered({30, 26}, 16, 4);
    EXPECT_DOUBLE_EQ(attentionSeconds(twice, "self").value(), 8);
    EXPECT_DOUBLE_EQ(secondsOutsideAttention(twice).value(), 18);
}

TEST(SameWork, IsAbsentWhereAnythingWasNotMeasured) {
    EXPECT_EQ(secondsOutsideAttention(rendered({30}, 9, std::nullopt)), std::nullopt);
    EXPECT_EQ(secondsOutsideAttention(rendered({}, 9, 1)), std::nullopt);
    EXPECT_EQ(secondsOutsideAttention(ClipMeasurements()), std::nullopt);
    EXPECT_FALSE(sameWorkOf({20}));
}

TEST(SameWork, IsUnevenWhenTheMachineWasNotEquallyFast) {
    EXPECT_FALSE(sameWorkOf({20, 21, 23.6}).value().isUneven());
    EXPECT_TRUE(sameWorkOf({20, 21, 25.5}).value().isUneven());
    const SameWork busy = sameWorkOf({25.6, 37.6, 10.9}).value();
    EXPECT_EQ(busy.fastest, 10.9);
    EXPECT_EQ(busy.slowest, 37.6);
    EXPECT_TRUE(busy.isUneven());
}

}  // namespace
}  // namespace reelgrid::session
