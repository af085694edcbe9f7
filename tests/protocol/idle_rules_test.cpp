#include "core/protocol/idle_rules.h"

#include <gmock/gmock.h>

namespace reelgrid::protocol {
namespace {

using testing::ElementsAre;

constexpr const char* kShadowed = "earlier rules decide every call that it fits";

TEST(IdleRules, ARuleBehindOneThatFitsEverythingIsIdle) {
    EXPECT_THAT(idleReasons({{{.backend = "sdpa"},
                              {.backend = "fav2", .steps = IndexRange{0, 1}},
                              {.backend = "fav2", .module = std::nullopt}}},
                            {8, 20, 5.0}),
                ElementsAre("", kShadowed, ""));
}

TEST(IdleRules, RulesThatCoverARangeTogetherLeaveNothingOfIt) {
    EXPECT_THAT(idleReasons({{{.backend = "sdpa", .steps = IndexRange{0, 9}},
                              {.backend = "fav2", .steps = IndexRange{10, -1}},
                              {.backend = "sla", .layers = IndexRange{3, 3}}}},
                            {8, 20, 5.0}),
                ElementsAre("", "", kShadowed));
}

TEST(IdleRules, ThereIsNoUnconditionalPassWithoutGuidance) {
    const AttentionPolicy policy{{{.backend = "sdpa", .branch = GuidanceBranch::Unconditional},
                                  {.backend = "fav2", .branch = GuidanceBranch::Conditional}}};
    EXPECT_THAT(idleReasons(policy, {8, 20, 5.0}), ElementsAre("", ""));
    EXPECT_THAT(idleReasons(policy, {8, 20, 1.0}),
                ElementsAre("without guidance there is no unconditional pass", ""));
}

}  // namespace
}  // namespace reelgrid::protocol
