#include "core/session/clip_label.h"

#include <gtest/gtest.h>

namespace reelgrid::session {
namespace {

ClipMeasurements with(std::vector<AttentionUse> attention) {
    ClipMeasurements measured;
    measured.attention = std::move(attention);
    return measured;
}

AttentionUse use(const char* module, const char* requested, const char* used) {
    return {.module = module, .requested = requested, .used = used, .why = "", .calls = 1, .seconds = {}};
}

TEST(ClipLabel, IsTheNameWhenEverythingRanAsAsked) {
    EXPECT_EQ(clipLabel("fav2", {}), "fav2");
    EXPECT_EQ(clipLabel("fav2", with({use("self", "fav2", "fav2"), use("cross", "sdpa", "sdpa")})), "fav2");
}

TEST(ClipLabel, ABackendThatAPolicyAskedForIsNoReplacement) {
    EXPECT_EQ(clipLabel("fav2+policy", with({use("self", "sdpa", "sdpa"), use("self", "fav2", "fav2")})),
              "fav2+policy");
}

TEST(ClipLabel, NamesWhatRanInstead) {
    EXPECT_EQ(clipLabel("fav2", with({use("self", "fav2", "sdpa")})), "fav2 (ran sdpa)");
    EXPECT_EQ(clipLabel("fav2", with({use("self", "fav2", "fav2"), use("self", "fav2", "sdpa")})),
              "fav2 (ran fav2+sdpa)");
    EXPECT_EQ(clipLabel("fav2+policy", with({use("self", "fav2", "sdpa"), use("cross", "fav2", "sdpa")})),
              "fav2+policy (ran sdpa; cross-attention ran sdpa)");
}

}  // namespace
}  // namespace reelgrid::session
