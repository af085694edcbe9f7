#include "core/attention/policy.h"

#include <gmock/gmock.h>

#include "core/protocol/attention_policy_json.h"

namespace reelgrid::attention {
namespace {

using protocol::ModuleKind;
using enum protocol::GuidanceBranch;
constexpr ModuleKind kSelf = ModuleKind::Self;
constexpr ModuleKind kCross = ModuleKind::Cross;

/// Of a model with 8 layers and a render of 10 steps, "sagev1" where no rule fits.
Policy policyOf(const std::vector<std::string>& rules) {
    return Policy::create("sagev1", protocol::attentionPolicyFromRules(rules).value(), {8, 10}).value();
}

TEST(Policy, WithoutRulesCoversSelfAttentionAlone) {
    const Policy policy("sagev1");
    EXPECT_EQ(policy.backendFor({kSelf, 3}, {5, Unconditional}), "sagev1");
    EXPECT_EQ(policy.backendFor({kCross, 3}, {5, Unconditional}), "sdpa");
}

TEST(Policy, ARuleWithoutAModuleLeavesCrossAttentionAlone) {
    const Policy policy = policyOf({"fav3"});
    EXPECT_EQ(policy.backendFor({kSelf, 0}, {}), "fav3");
    EXPECT_EQ(policy.backendFor({kCross, 0}, {}), "sdpa");
}

TEST(Policy, AModuleIsSelfCrossOrAll) {
    EXPECT_EQ(policyOf({"fav3:module=cross"}).backendFor({kCross, 0}, {}), "fav3");
    EXPECT_EQ(policyOf({"fav3:module=cross"}).backendFor({kSelf, 0}, {}), "sagev1");
    EXPECT_EQ(policyOf({"fav3:module=self"}).backendFor({kCross, 0}, {}), "sdpa");
    for (const ModuleKind kind : {kSelf, kCross})
        EXPECT_EQ(policyOf({"fav3:module=all"}).backendFor({kind, 0}, {}), "fav3");
}

std::string layersWith(const std::string& rule) {
    const Policy policy = policyOf({rule});
    std::string layers;
    for (int layer = 0; layer < 8; ++layer)
        if (policy.backendFor({kSelf, layer}, {}) == "fav2") layers += std::to_string(layer);
    return layers;
}

TEST(Policy, LayersAreInclusiveAndCountFromEitherEnd) {
    EXPECT_EQ(layersWith("fav2:layers=7"), "7");
    EXPECT_EQ(layersWith("fav2:layers=0..3"), "0123");
    EXPECT_EQ(layersWith("fav2:layers=-2..-1"), "67");
    EXPECT_EQ(layersWith("fav2:layers=5..-1"), "567");
    EXPECT_EQ(layersWith("fav2:layers=-8"), "0");
}

TEST(Policy, StepsAreInclusiveAndCountFromEitherEnd) {
    const Policy policy = policyOf({"sdpa:steps=0..1", "sdpa:steps=-2..-1"});
    std::string exact;
    for (int step = 0; step < 10; ++step)
        if (policy.backendFor({kSelf, 4}, {step, Conditional}) == "sdpa") exact += std::to_string(step);
    EXPECT_EQ(exact, "0189");
}

TEST(Policy, ABranchIsOneOfTheTwoPasses) {
    const Policy policy = policyOf({"fav2:branch=unconditional"});
    EXPECT_EQ(policy.backendFor({kSelf, 0}, {0, Unconditional}), "fav2");
    EXPECT_EQ(policy.backendFor({kSelf, 0}, {0, Conditional}), "sagev1");
    EXPECT_EQ(policyOf({"fav2:branch=conditional"}).backendFor({kSelf, 0}, {0, Conditional}), "fav2");
}

TEST(Policy, EverySelectorOfARuleMustFitAndTheFirstRuleThatFitsWins) {
    const Policy policy = policyOf({"fav3:layers=0..3,steps=0,branch=conditional", "fav2:layers=2", "sdpa"});
    EXPECT_EQ(policy.backendFor({kSelf, 2}, {0, Conditional}), "fav3");
    EXPECT_EQ(policy.backendFor({kSelf, 2}, {1, Conditional}), "fav2");
    EXPECT_EQ(policy.backendFor({kSelf, 2}, {0, Unconditional}), "fav2");
    EXPECT_EQ(policy.backendFor({kSelf, 4}, {0, Conditional}), "sdpa");
}

TEST(Policy, RefusesRangesBeyondTheModel) {
    const auto rules = protocol::attentionPolicyFromRules({"fav2:layers=8"}).value();
    const auto policy = Policy::create("sdpa", rules, {8, 10});
    ASSERT_FALSE(policy);
    EXPECT_EQ(policy.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(policy.error().message, testing::HasSubstr("rule 1: layers 8"));
}

TEST(Policy, NamesEveryBackendItMayAskFor) {
    EXPECT_THAT(policyOf({"fav2:layers=7", "fav3:module=cross"}).backends(),
                testing::ElementsAre("sagev1", "fav2", "fav3"));
}

}  // namespace
}  // namespace reelgrid::attention
