#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/backends/backend_list.h"
#include "kernels/cpu/attention/attention_cpu.h"
#include "kernels/cpu/attention/block_map.h"
#include "tests/kernels/attention/attention_case.h"
#include "tests/kernels/attention/method_oracle.h"
#include "tests/kernels/instruction_sets.h"

namespace reelgrid::kernels::test {
namespace {

constexpr DataType kSparseTypes[] = {DataType::Float32, DataType::BFloat16, DataType::Float16};

std::vector<float> random(std::size_t count, float deviation) {
    std::mt19937 generator(7);
    std::normal_distribution<float> normal(0, deviation);
    std::vector<float> values(count);
    for (float& x : values) x = normal(generator);
    return values;
}

class SparseLinear : public OnInstructionSet, public testing::WithParamInterface<InstructionSet> {
  protected:
    void SetUp() override { forceOrSkip(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Kernels, SparseLinear, testing::ValuesIn(kInstructionSets),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

std::vector<double> run(AttentionCase& c) {
    std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
    cpu::attend(Method::SparseLinear, c.problem);
    EXPECT_TRUE(c.guardIntact()) << c.name();
    return c.output();
}

void expectTheOracle(AttentionCase& c) {
    const auto oracle = sparseLinearAttention(c.problem);
    const double allowed = c.problem.type == DataType::Float32 ? 2e-5 : 0.012;
    EXPECT_LE(maxError(run(c), oracle), allowed * std::max(1.0, largest(oracle))) << c.name();
}

TEST_P(SparseLinear, AttendsToTheBlocksOfItsDefinition) {
    for (const auto type : kSparseTypes)
        for (const std::int64_t dim : {64, 40})
            for (const double ratio : {0.1, 0.35, 0.7})
                for (const auto& [queries, keys] : {std::pair{130, 700}, {1, 200}, {300, 65}}) {
                    AttentionCase c({1, 2, 1, queries, keys, dim}, type);
                    c.problem.sparseLinear.topkRatio = ratio;
                    expectTheOracle(c);
                }
}

TEST_P(SparseLinear, AddsTheLinearBranchThroughTheProjection) {
    for (const auto type : kSparseTypes)
        for (const std::int64_t dim : {128, 40})
            for (const auto& [queries, keys] : {std::pair{130, 300}, {1, 200}, {150, 1}}) {
                const auto projection = random(static_cast<std::size_t>(dim * dim), 0.3F);
                const auto bias = random(static_cast<std::size_t>(dim), 0.3F);
                AttentionCase c({1, 2, 1, queries, keys, dim}, type);
                c.problem.sparseLinear.projection = projection.data();
                if (type == DataType::Float32) c.problem.sparseLinear.bias = bias.data();
                expectTheOracle(c);
            }
    const auto projection = random(256 * 256, 0.3F);
    AttentionCase wide({1, 1, 1, 30, 70, 256}, DataType::BFloat16);
    wide.problem.sparseLinear.projection = projection.data();
    expectTheOracle(wide);
}

TEST_P(SparseLinear, SumsTheLinearBranchOverSeveralRunsOfKeys) {
    const auto projection = random(64 * 64, 0.3F);
    AttentionCase c({1, 1, 1, 20, 4500, 64}, DataType::Float32);
    c.problem.sparseLinear.projection = projection.data();
    expectTheOracle(c);
}

TEST_P(SparseLinear, AllBlocksAndNoProjectionIsFav2BitForBit) {
    for (const auto type : kSparseTypes)
        for (const std::int64_t dim : {64, 128, 96}) {
            AttentionCase c({2, 4, 2, 333, 417, dim}, type, Family::OutlierChannels);
            c.problem.sparseLinear.topkRatio = 1;
            const std::vector<float> zeros(static_cast<std::size_t>(dim * dim), 0.0F);
            cpu::attend(Method::Flash, c.problem);
            const auto dense = c.output();
            for (const float* projection : {static_cast<const float*>(nullptr), zeros.data()}) {
                c.problem.sparseLinear.projection = projection;
                EXPECT_EQ(run(c), dense) << c.name();
            }
        }
}

TEST_P(SparseLinear, KeepsOneBlockWhereTheRatioLeavesNone) {
    EXPECT_EQ(cpu::chosenBlocks(0.1, 9), 1);
    EXPECT_EQ(cpu::chosenBlocks(0.1, 1), 1);
    EXPECT_EQ(cpu::chosenBlocks(0.1, 512), 51);
    EXPECT_EQ(cpu::chosenBlocks(0.7, 10), 7);
    EXPECT_EQ(cpu::chosenBlocks(1, 10), 10);
    AttentionCase c({1, 1, 1, 100, 500, 64}, DataType::BFloat16);
    expectTheOracle(c);
}

TEST_P(SparseLinear, FindsTheBlockThatHoldsTheAnswer) {
    // Keys of block 5 point along the queries: at a tenth of 10 blocks it is the one that is kept.
    AttentionCase c({1, 1, 1, 128, 640, 64}, DataType::Float32);
    auto* q = reinterpret_cast<float*>(c.q.data());
    auto* k = reinterpret_cast<float*>(c.k.data());
    for (std::size_t i = 0; i < 128 * 64; ++i) q[i] = 1;
    for (std::size_t i = 0; i < 640 * 64; ++i) k[i] = i / 64 / 64 == 5 ? 2.0F : -2.0F;
    const auto truth = referenceAttention(c.problem);
    EXPECT_LE(maxError(run(c), truth.out), 1e-5);
}

TEST_P(SparseLinear, EqualScoresKeepTheLowestBlocks) {
    AttentionCase c({1, 1, 1, 100, 700, 64}, DataType::Float32, Family::Zeros);
    EXPECT_TRUE(allFinite(run(c)));
    const std::vector<float> query(16, 0.0F);
    const std::vector<float> keys(5 * 16, 1.0F);
    std::vector<float> scores(5);
    std::vector<std::int32_t> order(5), chosen(3);
    cpu::chooseBlocks(query.data(), keys.data(), 5, 16, 3, scores.data(), order.data(), chosen.data());
    EXPECT_EQ(chosen, (std::vector<std::int32_t>{0, 1, 2}));
}

TEST_P(SparseLinear, ANanKeyIsSeenInTheOutput) {
    AttentionCase c({1, 1, 1, 100, 700, 64}, DataType::Float32);
    reinterpret_cast<float*>(c.k.data())[650 * 64 + 3] = std::nanf("");
    EXPECT_FALSE(allFinite(run(c)));
}

TEST_P(SparseLinear, LargeValuesPassFp16sRangeInTheLinearBranch) {
    std::vector<float> projection(64 * 64, 0.0F);
    for (std::size_t i = 0; i < 64; ++i) projection[i * 65] = 1;
    AttentionCase c({1, 1, 1, 20, 1500, 64}, DataType::Float16);
    for (std::size_t i = 0; i < 1500 * 64; ++i)
        reinterpret_cast<std::uint16_t*>(c.v.data())[i] = 0x7000;  // 8192: Σ φ(k) v passes 65504
    c.problem.sparseLinear.projection = projection.data();
    expectTheOracle(c);
}

TEST_P(SparseLinear, GivesTheSameBitsForAnyNumberOfThreads) {
    const auto projection = random(64 * 64, 0.3F);
    AttentionCase c({1, 3, 3, 300, 2500, 64}, DataType::BFloat16);
    c.problem.sparseLinear.projection = projection.data();
    c.problem.threads = 1;
    cpu::attend(Method::SparseLinear, c.problem);
    const auto one = c.output();
    for (const int threads : {2, 5}) {
        c.problem.threads = threads;
        cpu::attend(Method::SparseLinear, c.problem);
        EXPECT_EQ(c.output(), one) << threads << " threads";
    }
}

/// sagesla: the same over other blocks, quantised.
class SageSparseLinear : public SparseLinear {
  protected:
    static std::vector<double> attended(AttentionCase& c) {
        std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
        cpu::attend(Method::SageSparseLinear, c.problem);
        EXPECT_TRUE(c.guardIntact()) << c.name();
        return c.output();
    }
    /// Ties that fp32 and float64 see differently: few elements by much.
    static void expectItsOwnError(AttentionCase& c) {
        const auto oracle = sageSparseLinearAttention(c.problem);
        const auto out = attended(c);
        const double rounding = c.problem.type == DataType::Float32 ? 0 : 1.0 / 256;
        ASSERT_TRUE(allFinite(out)) << c.name();
        EXPECT_LE(maxError(out, oracle), (0.012 + rounding) * std::max(1.0, largest(oracle))) << c.name();
        EXPECT_LE(relativeL1(out, oracle), 0.0008 + rounding / 2) << c.name();
    }
};
INSTANTIATE_TEST_SUITE_P(Kernels, SageSparseLinear, testing::ValuesIn(kInstructionSets),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

TEST_P(SageSparseLinear, MakesTheErrorOfItsDefinitionAndNoOther) {
    for (const auto type : kSparseTypes)
        for (const std::int64_t dim : {64, 128, 40})
            for (const double ratio : {0.1, 0.35, 1.0})
                for (const auto& [queries, keys] : {std::pair{130, 700}, {1, 200}, {70, 65}, {64, 1}}) {
                    AttentionCase c({1, 2, 1, queries, keys, dim}, type);
                    c.problem.sparseLinear.topkRatio = ratio;
                    expectItsOwnError(c);
                }
}

TEST_P(SageSparseLinear, AddsTheLinearBranchOfTheValuesAsTheyCame) {
    for (const auto type : kSparseTypes)
        for (const std::int64_t dim : {128, 64}) {
            const auto projection = random(static_cast<std::size_t>(dim * dim), 0.3F);
            const auto bias = random(static_cast<std::size_t>(dim), 0.3F);
            AttentionCase c({1, 2, 1, 70, 2300, dim}, type);
            c.problem.sparseLinear.projection = projection.data();
            c.problem.sparseLinear.bias = bias.data();
            expectItsOwnError(c);
        }
}

TEST_P(SageSparseLinear, WithAllBlocksIsCloseToDenseAttention) {
    AttentionCase c({1, 2, 2, 200, 417, 128}, DataType::BFloat16, Family::KeyBias);
    c.problem.sparseLinear.topkRatio = 1;
    EXPECT_LE(relativeL1(attended(c), referenceAttention(c.problem).out), 0.05);
}

TEST_P(SageSparseLinear, GivesTheSameBitsForAnyNumberOfThreads) {
    const auto projection = random(64 * 64, 0.3F);
    AttentionCase c({1, 3, 3, 300, 2500, 64}, DataType::BFloat16);
    c.problem.sparseLinear.projection = projection.data();
    c.problem.threads = 1;
    const auto one = attended(c);
    for (const int threads : {2, 5}) {
        c.problem.threads = threads;
        EXPECT_EQ(attended(c), one) << threads << " threads";
    }
}

TEST(SparseLinearBackend, RefusesWhatItsDefinitionLacks) {
    const auto& sla = *findBackend("sla");
    AttentionCase c({1, 1, 1, 100, 700, 64}, DataType::Float32);
    EXPECT_EQ(whyNot(sla, c.problem), std::nullopt);
    AttentionProblem causal = c.problem;
    causal.mask = Mask::Causal;
    EXPECT_EQ(whyNot(sla, causal), "sla: no causal mask");
    AttentionProblem biased = c.problem;
    const std::vector<float> bias(700, 0.0F);
    biased.keyBias = bias.data();
    EXPECT_EQ(whyNot(sla, biased), "sla: takes no key bias");
    for (const double ratio : {0.0, -0.1, 1.5, std::nan("")}) {
        AttentionProblem odd = c.problem;
        odd.sparseLinear.topkRatio = ratio;
        EXPECT_TRUE(whyNot(sla, odd).value_or("").find("top-k ratio") != std::string::npos) << ratio;
    }
}

}  // namespace
}  // namespace reelgrid::kernels::test
