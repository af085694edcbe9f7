#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/attention/method_options.h"
#include "kernels/backends/backend_list.h"
#include "kernels/backends/option_bounds.h"
#include "kernels/cpu/attention/attention_cpu.h"
#include "kernels/cpu/attention/block_map.h"
#include "tests/kernels/attention/attention_case.h"
#include "tests/kernels/attention/grid_oracle.h"
#include "tests/kernels/attention/method_oracle.h"
#include "tests/kernels/attention/reference.h"
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

/// sparge: which blocks hold weight is predicted.
class Predicted : public SparseLinear {
  protected:
    /// Rows of a block lie about a direction of its own, with a length of 6; every `oddKeys`-th block of keys
    /// and `oddQueries`-th of queries is as wild as it came.
    static void gather(AttentionCase& c, std::size_t oddKeys, std::size_t oddQueries) {
        const auto dim = static_cast<std::size_t>(c.problem.headDim);
        const std::vector<float> centres = random(std::size_t{64} * dim, 1);
        const auto turn = [&](std::vector<std::uint8_t>& data, std::size_t block, std::size_t odd) {
            auto* rows = reinterpret_cast<float*>(data.data());
            for (std::size_t i = 0; i < data.size() / 4; ++i) {
                const std::size_t place = i / dim / block;
                if (place % odd == odd - 1) continue;
                rows[i] = 0.5F * rows[i] + centres[place % 13 * dim + i % dim];
            }
        };
        turn(c.k, 64, oddKeys);
        turn(c.q, 128, oddQueries);
    }
    static std::vector<double> attended(AttentionCase& c, double& kept) {
        std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
        c.problem.keptShare = &kept;
        cpu::attend(Method::Sparge, c.problem);
        c.problem.keptShare = nullptr;
        EXPECT_TRUE(c.guardIntact()) << c.name();
        return c.output();
    }
};
INSTANTIATE_TEST_SUITE_P(Kernels, Predicted, testing::ValuesIn(kInstructionSets),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

TEST_P(Predicted, AttendsToTheBlocksOfItsDefinitionAndSaysHowMany) {
    for (const std::int64_t dim : {64, 40})
        for (const double cdf : {0.5, 0.9, 0.98})
            for (const auto& [queries, keys] : {std::pair{400, 1500}, {130, 700}, {1, 200}}) {
                // All heads of one are neighbours in memory: one head, so that blocks are those of the test.
                AttentionCase c({1, 1, 1, queries, keys, dim}, DataType::Float32);
                gather(c, 7, 4);
                c.problem.prediction.cdf = cdf;
                const PredictedAttention oracle = predictedAttention(c.problem);
                double kept = 0;
                const auto out = attended(c, kept);
                EXPECT_DOUBLE_EQ(kept, oracle.keptShare) << c.name() << " at " << cdf;
                EXPECT_LE(maxError(out, oracle.out), 2e-5 * std::max(1.0, largest(oracle.out))) << c.name();
                if (keys == 1500) {
                    EXPECT_LT(kept, cdf == 0.5 ? 0.5 : 0.95) << "something is left out";
                }
            }
}

TEST_P(Predicted, InSixteenBitsIsFav2OverItsBlocks) {
    for (const auto type : {DataType::BFloat16, DataType::Float16}) {
        AttentionCase c({1, 2, 1, 200, 417, 64}, type);
        const PredictedAttention oracle = predictedAttention(c.problem);
        EXPECT_EQ(oracle.keptShare, 1) << "nothing is alike";
        double kept = 0;
        EXPECT_LE(maxError(attended(c, kept), oracle.out), 0.012 * std::max(1.0, largest(oracle.out)));
        EXPECT_EQ(kept, 1);
    }
}

TEST_P(Predicted, WhatHardlyWeighsIsLeftOut) {
    AttentionCase c({1, 1, 1, 200, 640, 64}, DataType::Float32);
    auto* q = reinterpret_cast<float*>(c.q.data());
    auto* k = reinterpret_cast<float*>(c.k.data());
    for (std::size_t i = 0; i < 200 * 64; ++i) q[i] = 1 + 0.01F * q[i];
    // The first block scores 8 · 4 above all others.
    for (std::size_t i = 0; i < 640 * 64; ++i) k[i] = 0.01F * k[i] + (i / 64 < 64 ? 4.0F : 0.0F);
    c.problem.prediction.similarity = 2;  // no block is alike: all are kept
    double kept = 0;
    const auto whole = attended(c, kept);
    EXPECT_EQ(kept, 1);
    c.problem.prediction.faint = 20;
    auto* v = reinterpret_cast<float*>(c.v.data());
    for (std::size_t i = 64 * 64; i < 640 * 64; ++i) v[i] = 1e9F;
    const auto without = attended(c, kept);
    EXPECT_LE(maxError(without, whole), 1e-6);
    c.problem.prediction.faint = 50;
    EXPECT_GT(maxError(attended(c, kept), whole), 1e-5) << "now they are multiplied";
}

TEST_P(Predicted, GivesTheSameBitsForAnyNumberOfThreads) {
    AttentionCase c({1, 3, 3, 300, 2500, 64}, DataType::Float32);
    gather(c, 7, 4);
    double kept = 0;
    c.problem.threads = 1;
    const auto one = attended(c, kept);
    for (const int threads : {2, 5}) {
        double again = 0;
        c.problem.threads = threads;
        EXPECT_EQ(attended(c, again), one) << threads << " threads";
        EXPECT_EQ(again, kept);
    }
}

TEST_P(Predicted, ANanKeyIsSeenInTheOutput) {
    AttentionCase c({1, 1, 1, 100, 700, 64}, DataType::Float32);
    gather(c, 99, 99);
    reinterpret_cast<float*>(c.k.data())[650 * 64 + 3] = std::nanf("");
    double kept = 0;
    EXPECT_FALSE(allFinite(attended(c, kept)));
}

/// sta and radial: where tokens lie in the clip decides.
class OnTheGrid : public SparseLinear {
  protected:
    static void expectOracle(Method method, AttentionCase& c) {
        const GridAttention oracle = gridAttention(method, c.problem);
        double kept = 0;
        c.problem.keptShare = &kept;
        std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
        cpu::attend(method, c.problem);
        EXPECT_TRUE(c.guardIntact());
        EXPECT_NEAR(kept, oracle.keptShare, 1e-12);
        const double allowed = c.problem.type == DataType::Float32 ? 2e-5 : 0.012;
        EXPECT_LE(maxError(c.output(), oracle.out), allowed * std::max(1.0, largest(oracle.out)));
    }
};
INSTANTIATE_TEST_SUITE_P(Kernels, OnTheGrid, testing::ValuesIn(kInstructionSets),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

constexpr TokenGrid kGrids[] = {{.frames = 20, .rows = 4, .columns = 8},
                                {.frames = 17, .rows = 5, .columns = 9},
                                {.frames = 9, .rows = 9, .columns = 7, .textBefore = 30, .textAfter = 5},
                                {.frames = 1, .rows = 3, .columns = 3}};

TEST_P(OnTheGrid, TilesSeeTheirWindow) {
    for (const TokenGrid& grid : kGrids)
        for (const auto type : {DataType::Float32, DataType::BFloat16}) {
            AttentionCase c({1, 2, 2, grid.tokens(), grid.tokens(), 40}, type);
            c.problem.context.grid = grid;
            expectOracle(Method::SlidingTile, c);
        }
}

TEST_P(OnTheGrid, RadialWindowsNarrowWithTheFramesBetween) {
    for (const TokenGrid& grid : kGrids) {
        AttentionCase c({1, 2, 2, grid.tokens(), grid.tokens(), 64}, DataType::Float32);
        c.problem.context.grid = grid;
        expectOracle(Method::Radial, c);
    }
    const TokenGrid long_{.frames = 24, .rows = 8, .columns = 10};
    AttentionCase c({1, 1, 1, long_.tokens(), long_.tokens(), 16}, DataType::Float32);
    c.problem.context.grid = long_;
    double kept = 0;
    c.problem.keptShare = &kept;
    cpu::attend(Method::Radial, c.problem);
    EXPECT_LT(kept, 0.8) << "something is left out";
}

TEST(GridBackends, SayThatTheyNeedTheGrid) {
    AttentionCase c({1, 1, 1, 96, 96, 64}, DataType::Float32);
    EXPECT_EQ(whyNot(*findBackend("sta"), c.problem),
              "sta: nobody says where this call's tokens lie, needs their grid");
    c.problem.context.grid = {.frames = 3, .rows = 4, .columns = 9};
    EXPECT_EQ(whyNot(*findBackend("radial"), c.problem),
              "radial: 96 queries and 96 keys, needs 108 of both, the grid's");
    c.problem.context.grid.columns = 8;
    EXPECT_EQ(whyNot(*findBackend("sta"), c.problem), std::nullopt);
    const std::vector<OptionValue> none{{"tile", "0,4,4"}};
    c.problem.context.options = none;
    EXPECT_EQ(whyNot(*findBackend("sta"), c.problem), "sta: tile 0,4,4, needs 1 or more");
}

TEST(PredictionOptions, TakeThePlaceOfTheProblemsValuesWithinTheirBounds) {
    AttentionCase c({1, 1, 1, 200, 700, 64}, DataType::Float32);
    c.problem.prediction.cdf = 0.5;
    const std::vector<OptionValue> some{{"cdfthreshd", "0.9"}, {"simthreshd1", "0.25"}};
    c.problem.context.options = some;
    const BlockPrediction asked = predictionOf(c.problem);
    EXPECT_EQ(asked.cdf, 0.9);
    EXPECT_EQ(asked.similarity, 0.25);
    EXPECT_EQ(asked.faint, BlockPrediction{}.faint);
    EXPECT_EQ(whyNot(*findBackend("sparge"), c.problem), std::nullopt);
    const auto expectObstacle = [&](const char* key, const char* value, const char* obstacle) {
        const std::vector<OptionValue> one{{key, value}};
        c.problem.context.options = one;
        EXPECT_EQ(whyNot(*findBackend("sparge"), c.problem), obstacle);
    };
    expectObstacle("cdfthreshd", "1.5", "sparge: cdfthreshd 1.5, needs 0 to 1");
    expectObstacle("simthreshd1", "-2", "sparge: simthreshd1 -2, needs -1 to 1");
    expectObstacle("pvthreshd", "0", "sparge: pvthreshd 0, needs more than 0");
}

TEST(PredictionOptions, MayDifferByHeadAndLayer) {
    AttentionCase c({1, 3, 1, 200, 700, 64}, DataType::Float32);
    const std::vector<OptionValue> some{{"cdfthreshd", "0.9"},
                                        {"simthreshd1", "0.6"},
                                        {"cdfthreshd@4-5", "0.5,0.6,0.7"},
                                        {"cdfthreshd@5", "1"}};
    c.problem.context.options = some;
    for (const int layer : {-1, 0, 6}) {
        c.problem.context.layer = layer;
        ASSERT_EQ(predictionsOf(c.problem).size(), 1U) << layer;
        EXPECT_EQ(predictionOf(c.problem).cdf, 0.9) << layer;
    }
    c.problem.context.layer = 4;
    const auto each = predictionsOf(c.problem);
    ASSERT_EQ(each.size(), 3U);
    EXPECT_EQ(each[1].cdf, 0.6);
    EXPECT_EQ(each[2].similarity, 0.6);
    EXPECT_EQ(whyNot(*findBackend("sparge"), c.problem), std::nullopt);
    c.problem.context.layer = 5;
    EXPECT_EQ(predictionOf(c.problem).cdf, 1) << "what is set last of a layer counts";
    c.problem.context.layer = 4;
    c.problem.queryHeads = 2;
    EXPECT_EQ(whyNot(*findBackend("sparge"), c.problem),
              "sparge: cdfthreshd has 3 values, needs one, or one for each of 2 heads");
}

TEST(PredictionOptions, AreCheckedWhereTheyAreSet) {
    const auto why = [](std::string_view backend, std::string_view key, std::string_view value) {
        return whyNotSetting(backend, findBackend(backend)->options(), key, value).value_or("");
    };
    EXPECT_EQ(why("sparge", "cdfthreshd", "0.9"), "");
    EXPECT_EQ(why("sparge", "cdfthreshd@3", "0.9,1,0.5"), "");
    EXPECT_EQ(why("sparge", "cdfthreshd", "0.9,1.5"), ".cdfthreshd: 0 to 1 was needed");
    EXPECT_EQ(why("sparge", "cdfthreshd", "0.9,x"), ".cdfthreshd: a number was needed");
    EXPECT_EQ(why("sparge", "cdfthreshd@x", "0.9"),
              ".cdfthreshd@x: a layer or FIRST-LAST, from 0, was needed behind the @");
    EXPECT_EQ(why("sta", "window@3", "3,3,3"),
              ".window@3: an option that layers may differ in was needed before the @");
    EXPECT_EQ(why("sta", "window", "3,3"), ".window: 3 whole numbers separated by commas were needed");
}

TEST(PredictionOptions, DecideWhatIsKept) {
    AttentionCase c({1, 1, 1, 256, 1024, 64}, DataType::Float32);
    auto* q = reinterpret_cast<float*>(c.q.data());
    auto* k = reinterpret_cast<float*>(c.k.data());
    // All alike; each block of keys scores a little below the one before.
    for (std::size_t i = 0; i < 256 * 64; ++i) q[i] = 1 + 0.01F * q[i];
    for (std::size_t i = 0; i < 1024 * 64; ++i)
        k[i] = 0.01F * k[i] + (i % 64 == 0 ? 8 - static_cast<float>(i / (64 * 64)) : 0);
    double kept = 0;
    c.problem.keptShare = &kept;
    const auto keptWith = [&](const char* key, const char* value) {
        const std::vector<OptionValue> one{{key, value}};
        c.problem.context.options = one;
        cpu::attend(Method::Sparge, c.problem);
        return kept;
    };
    EXPECT_LT(keptWith("cdfthreshd", "0.3"), keptWith("cdfthreshd", "0.9"));
    EXPECT_EQ(keptWith("simthreshd1", "1"), 1) << "nothing is as alike";
}

}  // namespace
}  // namespace reelgrid::kernels::test
