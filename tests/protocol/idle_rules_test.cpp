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

TEST(IdleRules, AModelMayLackTheKindOfAttention) {
    const AttentionPolicy policy{{{.backend = "fav2", .module = ModuleKind::Joint},
                                  {.backend = "fav2", .module = ModuleKind::Temporal},
                                  {.backend = "sla"}}};
    EXPECT_THAT(
        idleReasons(policy, {8, 20, 5.0}),
        ElementsAre("this model has no joint attention, only self-attention and cross-attention",
                    "this model has no temporal attention, only self-attention and cross-attention", ""));
    // Self covers joint attention.
    EXPECT_THAT(idleReasons(policy, {8, 20, 5.0, {ModuleKind::Joint}}),
                ElementsAre("", "this model has no temporal attention, only joint attention", kShadowed));
    const AttentionPolicy cross{{{.backend = "fav2", .module = ModuleKind::Cross}}};
    EXPECT_THAT(idleReasons(cross, {8, 20, 5.0, {ModuleKind::Joint, ModuleKind::Self, ModuleKind::Temporal}}),
                ElementsAre("this model has no cross-attention, only joint attention and self-attention and "
                            "temporal attention"));
}

}  // namespace
}  // namespace reelgrid::protocol
