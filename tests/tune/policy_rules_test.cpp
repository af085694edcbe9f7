#include "core/tune/policy_rules.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "core/protocol/attention_policy_json.h"
#include "core/tune/search.h"

namespace reelgrid::tune {
namespace {

const std::vector<std::string> kBackends{"sdpa", "fav2", "sagev1"};

/// Which backend the policy's first fitting rule asks for, at every site, read back from its file.
Assignment readBack(const protocol::AttentionPolicy& policy, int layers, int steps) {
    const auto read = protocol::attentionPolicyFromJson(toJson(policy));
    EXPECT_TRUE(read) << read.error().message;
    const auto rules = protocol::resolved(*read, layers, steps);
    EXPECT_TRUE(rules) << rules.error().message;
    Assignment assignment;
    for (int step = 0; step < steps; ++step)
        for (int layer = 0; layer < layers; ++layer)
            for (const protocol::AttentionRule& rule : rules->rules)
                if (fits(rule, {protocol::ModuleKind::Self, layer}, {step})) {
                    assignment.push_back(int(std::ranges::find(kBackends, rule.backend) - kBackends.begin()));
                    break;
                }
    return assignment;
}

TEST(PolicyRules, SayAnyAssignment) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 30; ++trial) {
        const int layers = 1 + int(random() % 8), steps = 1 + int(random() % 20);
        Assignment assignment;
        for (int i = 0; i < layers * steps; ++i) assignment.push_back(int(random() % 3));
        const auto policy = policyOf(assignment, layers, steps, kBackends);
        EXPECT_EQ(readBack(policy, layers, steps), assignment);
        EXPECT_LE(policy.rules.size(), 161u);
    }
}

TEST(PolicyRules, AreRectanglesWhereTheAssignmentIs) {
    // 4 layers, 6 steps: sagev1, but sdpa in the first two steps and fav2 in layer 3 afterwards.
    Assignment assignment(24, 2);
    for (int step = 0; step < 6; ++step)
        for (int layer = 0; layer < 4; ++layer) {
            if (step < 2) assignment[std::size_t(step * 4 + layer)] = 0;
            if (step >= 2 && layer == 3) assignment[std::size_t(step * 4 + layer)] = 1;
        }
    const auto policy = policyOf(assignment, 4, 6, kBackends);
    ASSERT_EQ(policy.rules.size(), 3u);
    EXPECT_EQ(policy.rules[0],
              (protocol::AttentionRule{.backend = "sdpa", .steps = protocol::IndexRange{0, 1}}));
    EXPECT_EQ(policy.rules[1], (protocol::AttentionRule{.backend = "fav2",
                                                        .layers = protocol::IndexRange{3, 3},
                                                        .steps = protocol::IndexRange{2, 5}}));
    EXPECT_EQ(policy.rules[2], protocol::AttentionRule{.backend = "sagev1"});
    EXPECT_EQ(readBack(policy, 4, 6), assignment);
}

TEST(PolicyRules, OfTheLargestModelsFitIntoAFile) {
    std::mt19937 random(5);
    for (const auto& [layers, steps] : {std::pair{40, 50}, {30, 100}, {8, 1000}}) {
        const BlockSize size = blockSizeFor(layers, steps, kMostBlocks);
        Assignment assignment(std::size_t(layers * steps));
        for (int step = 0; step < steps; step += size.steps)
            for (int layer = 0; layer < layers; layer += size.layers) {
                const int backend = int(random() % 3);
                for (int s = step; s < std::min(steps, step + size.steps); ++s)
                    for (int l = layer; l < std::min(layers, layer + size.layers); ++l)
                        assignment[std::size_t(s * layers + l)] = backend;
            }
        EXPECT_EQ(readBack(policyOf(assignment, layers, steps, kBackends), layers, steps), assignment)
            << layers << " layers, " << steps << " steps";
    }
}

}  // namespace
}  // namespace reelgrid::tune
