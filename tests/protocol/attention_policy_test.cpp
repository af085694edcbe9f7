#include "core/protocol/attention_policy.h"

#include <gmock/gmock.h>

namespace reelgrid::protocol {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

AttentionPolicy layers(IndexRange range) {
    return {{{.backend = "fav2", .layers = range}}};
}

TEST(AttentionPolicy, CountsNegativeNumbersFromTheEnd) {
    const AttentionPolicy policy{
        {{.backend = "fav2", .layers = IndexRange{-2, -1}, .steps = IndexRange{1, -2}}, {.backend = "sdpa"}}};
    const auto found = resolved(policy, 30, 50);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->rules[0].layers, (IndexRange{28, 29}));
    EXPECT_EQ(found->rules[0].steps, (IndexRange{1, 48}));
    EXPECT_FALSE(found->rules[1].layers);
}

TEST(AttentionPolicy, KeepsTheFirstAndTheLastThatThereAre) {
    EXPECT_TRUE(resolved(layers({0, 29}), 30, 1));
    EXPECT_TRUE(resolved(layers({-30, -1}), 30, 1));
    EXPECT_TRUE(resolved(layers({-1, 0}), 1, 1)) << "of one layer, the last is the first";
}

TEST(AttentionPolicy, RefusesWhatIsNotThere) {
    for (const IndexRange range : {IndexRange{40, 40}, {0, 30}, {-31, -1}, {-31, 40}}) {
        const auto found = resolved(layers(range), 30, 50);
        ASSERT_FALSE(found) << range.first << " to " << range.last;
        EXPECT_EQ(found.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(found.error().message, HasSubstr("rule 1: layers"));
        EXPECT_THAT(found.error().message, HasSubstr("0 to 29"));
    }
    const auto step =
        resolved({{{.backend = "fav2"}, {.backend = "fav2", .steps = IndexRange{60, 60}}}}, 30, 50);
    ASSERT_FALSE(step);
    EXPECT_THAT(step.error().message, HasSubstr("rule 2: steps 60: 0 to 49"));
}

TEST(AttentionPolicy, RefusesARangeThatRunsBackwardsOnceCounted) {
    const auto found = resolved(layers({-1, 3}), 30, 50);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr("layers [-1, 3]: of 30 layers"));
    EXPECT_TRUE(resolved(layers({-1, 29}), 30, 50));
}

TEST(AttentionPolicy, NamesAClipByWhatAltersIt) {
    const AttentionPolicy firstStepExact{{{.backend = "sdpa", .steps = IndexRange{0, 0}}}};
    EXPECT_EQ(attentionName("fav2", {}), "fav2");
    EXPECT_THAT(attentionName("fav2", firstStepExact), MatchesRegex("fav2\\+policy-[0-9a-f]{4}"));
    EXPECT_EQ(attentionName("sdpa", firstStepExact), "sdpa") << "it is sdpa throughout";
    EXPECT_THAT(attentionName("fav2", {{{.backend = "fav2", .module = ModuleKind::Cross}}}),
                StartsWith("fav2+policy-"));
    EXPECT_THAT(attentionName("fav2", {{{.backend = "fav2", .module = std::nullopt}}}),
                StartsWith("fav2+policy-"));
    EXPECT_EQ(attentionName("fav2", {{{.backend = "sdpa", .module = ModuleKind::Cross}}}), "fav2");
    EXPECT_THAT(attentionName("sdpa", {{{.backend = "default"}}}), StartsWith("sdpa+policy-"));
}

TEST(AttentionPolicy, TwoPoliciesGiveTwoNames) {
    const AttentionPolicy one{{{.backend = "sdpa", .steps = IndexRange{0, 0}}}};
    const AttentionPolicy two{{{.backend = "sdpa", .steps = IndexRange{0, 1}}}};
    EXPECT_EQ(attentionName("fav2", one), attentionName("fav2", AttentionPolicy(one)));
    EXPECT_NE(attentionName("fav2", one), attentionName("fav2", two));
}

TEST(AttentionPolicy, DescribesRulesInWords) {
    EXPECT_EQ(describe({.backend = "fav2"}), "fav2 in self-attention");
    EXPECT_EQ(describe({.backend = "sdpa",
                        .module = std::nullopt,
                        .layers = IndexRange{4, 7},
                        .steps = IndexRange{-2, -1},
                        .branch = GuidanceBranch::Unconditional}),
              "sdpa in every kind of attention, layers 4 to 7, last 2 steps, unconditional pass");
    const auto steps = [](IndexRange range) {
        return describe({.backend = "a", .module = ModuleKind::Cross, .steps = range});
    };
    EXPECT_EQ(steps({0, 0}), "a in cross-attention, first step");
    EXPECT_EQ(steps({0, 9}), "a in cross-attention, first 10 steps");
    EXPECT_EQ(steps({-1, -1}), "a in cross-attention, last step");
    EXPECT_EQ(steps({7, 7}), "a in cross-attention, step 7");
    EXPECT_EQ(steps({2, -1}), "a in cross-attention, steps 2 to the last");
    EXPECT_EQ(steps({0, -2}), "a in cross-attention, steps 0 to -2");
    EXPECT_EQ(steps({0, -1}), "a in cross-attention, every step");
}

}  // namespace
}  // namespace reelgrid::protocol
