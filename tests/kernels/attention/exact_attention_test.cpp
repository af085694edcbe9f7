#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/attention/half_types.h"
#include "kernels/cpu/attention/attention_cpu.h"
#include "tests/kernels/attention/attention_case.h"
#include "tests/kernels/instruction_sets.h"

namespace reelgrid::kernels::test {
namespace {

constexpr DataType kTypes[] = {DataType::Float32, DataType::BFloat16, DataType::Float16};

/// FlashAttention's own criterion: no more than twice the error of plain code in the same type, and a
/// rounding of the output.
void expectAsGoodAsPlainCode(AttentionCase& c, Method method) {
    const auto truth = referenceAttention(c.problem);
    const auto plain = lowPrecisionAttention(c.problem);
    const double allowed = 2 * maxError(plain, truth.out) + roundingOf(c.problem.type) * largest(truth.out);
    // With a log-sum-exp last: some kernels take cheaper powers for the weights where nobody asks for it.
    for (const bool withLse : {false, true}) {
        if (withLse) c.withLse();
        std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
        cpu::attend(method, c.problem);
        const auto out = c.output();
        EXPECT_TRUE(allFinite(out)) << c.name();
        EXPECT_LE(maxError(out, truth.out), allowed) << c.name();
        EXPECT_TRUE(c.guardIntact()) << c.name();
    }
    for (std::size_t i = 0; i < truth.lse.size(); ++i) {
        if (std::isinf(truth.lse[i]))
            ASSERT_EQ(c.lse[i], -std::numeric_limits<float>::infinity()) << c.name();
        else
            ASSERT_NEAR(c.lse[i], truth.lse[i], 2e-5 * std::max(1.0, std::abs(truth.lse[i])))
                << c.name() << " row " << i;
    }
}

struct Exact {
    const char* name;
    Method method;
};

/// fav2 and fav3 promise the same: they differ in the order of their sums.
class ExactAttention : public OnInstructionSet,
                       public testing::WithParamInterface<std::tuple<Exact, InstructionSet>> {
  protected:
    void SetUp() override { forceOrSkip(std::get<1>(GetParam())); }

    static Method method() { return std::get<0>(GetParam()).method; }
    static void run(const AttentionProblem& problem) { cpu::attend(method(), problem); }
};
INSTANTIATE_TEST_SUITE_P(Kernels, ExactAttention,
                         testing::Combine(testing::Values(Exact{"Fav2", Method::Flash},
                                                          Exact{"Fav3", Method::Flash3}),
                                          testing::ValuesIn(kInstructionSets)),
                         nameOfMethodAndSet);

TEST_P(ExactAttention, IsAsExactAsPlainCodeOverOddLengths) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : {64, 128, 40, 96})
            for (const auto& [queries, keys] :
                 {std::pair{1, 1}, {239, 1}, {1, 203}, {113, 203}, {65, 129}, {48, 64}}) {
                AttentionCase c({1, 2, 2, queries, keys, dim}, type);
                expectAsGoodAsPlainCode(c, method());
            }
}

TEST_P(ExactAttention, IsAsExactAsPlainCodeOverShortSequences) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : {8, 40, 64, 80, 160, 256})
            for (const auto& [queries, keys] : {std::pair{2, 2},
                                                {14, 14},
                                                {16, 16},
                                                {17, 15},
                                                {25, 25},
                                                {32, 32},
                                                {33, 9},
                                                {7, 63},
                                                {64, 64}})
                for (const auto mask : {Mask::None, Mask::Causal}) {
                    std::vector<float> bias(static_cast<std::size_t>(keys));
                    for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = std::sin(static_cast<float>(j));
                    AttentionCase c({3, 4, 2, queries, keys, dim}, type, Family::Normal,
                                    queries % 2 == 0 ? Layout::TokensFirst : Layout::HeadsFirst, mask);
                    if (queries % 3 != 0) c.problem.keyBias = bias.data();
                    expectAsGoodAsPlainCode(c, method());
                }
}

TEST_P(ExactAttention, IsAsExactAsPlainCodeOverLongSequences) {
    for (const auto type : kTypes) {
        AttentionCase odd({1, 1, 1, 799, 3, 128}, type);
        expectAsGoodAsPlainCode(odd, method());
        AttentionCase unequal({1, 1, 1, 255, 1024, 64}, type);
        expectAsGoodAsPlainCode(unequal, method());
    }
    AttentionCase large({1, 1, 1, 1023, 1024, 128}, DataType::BFloat16);
    expectAsGoodAsPlainCode(large, method());
}

TEST_P(ExactAttention, IsAsExactAsPlainCodeBeyondTheCache) {
    // More than a megabyte of packed keys and values: some machines walk them with several tiles side by
    // side.
    for (const auto mask : {Mask::None, Mask::Causal}) {
        AttentionCase c({1, 1, 1, 210, 4500, 64}, DataType::BFloat16, Family::Normal, Layout::TokensFirst,
                        mask);
        expectAsGoodAsPlainCode(c, method());
    }
}

TEST_P(ExactAttention, ABiasOfLogNMakesOneKeyStandForN) {
    // Keys 20 … 29 equal key 19: left out, with log(11) on key 19, nothing changes.
    for (const auto type : kTypes) {
        AttentionCase c({1, 1, 1, 60, 30, 64}, type, Family::Normal, Layout::HeadsFirst);
        const auto row = static_cast<std::ptrdiff_t>(64 * sizeOf(type));
        for (auto* rows : {&c.k, &c.v})
            for (std::ptrdiff_t n = 20; n < 30; ++n)
                std::copy_n(rows->begin() + 19 * row, row, rows->begin() + n * row);
        const auto truth = referenceAttention(c.problem);
        std::vector<float> bias(20, 0.0F);
        bias[19] = std::log(11.0F);
        c.problem.keys = 20;
        c.problem.keyBias = bias.data();
        EXPECT_LE(maxError(referenceAttention(c.problem).out, truth.out), 1e-6);
        run(c.problem);
        EXPECT_LE(maxError(c.output(), truth.out), 2 * roundingOf(type) * largest(truth.out)) << c.name();
    }
}

TEST_P(ExactAttention, AKeyBiasIsAddedUnderEveryMaskAndLength) {
    for (const auto mask : {Mask::None, Mask::Causal})
        for (const std::int64_t keys : {1, 77, 300}) {
            std::vector<float> bias(static_cast<std::size_t>(keys));
            for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = std::sin(static_cast<float>(j));
            if (keys > 1) bias[1] = -std::numeric_limits<float>::infinity();
            AttentionCase c({1, 2, 1, 90, keys, 40}, DataType::Float32, Family::Normal, Layout::TokensFirst,
                            mask);
            c.problem.keyBias = bias.data();
            c.withLse();
            const auto truth = referenceAttention(c.problem);
            run(c.problem);
            EXPECT_LE(maxError(c.output(), truth.out), 1e-5) << c.name();
            for (std::size_t i = 0; i < truth.lse.size(); ++i) {
                if (std::isinf(truth.lse[i])) continue;
                ASSERT_NEAR(c.lse[i], truth.lse[i], 1e-4) << c.name();
            }
        }
}

TEST_P(ExactAttention, IsAsExactAsPlainCodeOnEveryInputFamily) {
    for (const auto type : kTypes)
        for (const auto family :
             {Family::OutlierChannels, Family::KeyBias, Family::Sink, Family::Zeros, Family::Underflow}) {
            AttentionCase c({1, 1, 1, 97, 211, 128}, type, family);
            expectAsGoodAsPlainCode(c, method());
        }
}

TEST_P(ExactAttention, TakesAnyHeadDimUpTo256) {
    for (const std::int64_t dim : {1, 7, 16, 33, 72, 80, 160, 192, 255, 256}) {
        AttentionCase c({1, 1, 1, 51, 77, dim}, DataType::BFloat16);
        expectAsGoodAsPlainCode(c, method());
        AttentionCase exact({1, 1, 1, 51, 77, dim}, DataType::Float32);
        expectAsGoodAsPlainCode(exact, method());
    }
}

TEST_P(ExactAttention, ReadsBothLayoutsBatchesAndSharedKeyHeads) {
    for (const auto layout : {Layout::HeadsFirst, Layout::TokensFirst})
        for (const std::int64_t keyHeads : {6, 3, 1}) {
            AttentionCase c({2, 6, keyHeads, 70, 90, 64}, DataType::BFloat16, Family::Normal, layout);
            expectAsGoodAsPlainCode(c, method());
        }
}

TEST_P(ExactAttention, CausalMaskIsAlignedAtTheBottomRight) {
    for (const auto type : kTypes)
        for (const auto& [queries, keys] : {std::pair{113, 203}, {203, 113}, {150, 150}, {1, 77}, {300, 1}}) {
            AttentionCase c({1, 2, 1, queries, keys, 64}, type, Family::Normal, Layout::TokensFirst,
                            Mask::Causal);
            expectAsGoodAsPlainCode(c, method());
        }
}

TEST_P(ExactAttention, NegativeScoresAfterTheTailDoNotLoseToPadding) {
    // Padding keys score 0. Taken for real ones they would win over keys that all score far below it.
    AttentionCase c({1, 1, 1, 33, 67, 64}, DataType::Float32);
    auto* q = reinterpret_cast<float*>(c.q.data());
    auto* k = reinterpret_cast<float*>(c.k.data());
    for (std::size_t i = 0; i < c.q.size() / 4; ++i) q[i] = 3 + 0.1F * q[i];
    for (std::size_t i = 0; i < c.k.size() / 4; ++i) k[i] = -3 + 0.1F * k[i];
    expectAsGoodAsPlainCode(c, method());
}

TEST_P(ExactAttention, LargeFp16ValuesDoNotOverflow) {
    // Black frames came from scores or sums kept in fp16: these scores pass 65504.
    AttentionCase half({1, 1, 1, 40, 80, 128}, DataType::Float16);
    auto* q = reinterpret_cast<std::uint16_t*>(half.q.data());
    for (std::size_t i = 0; i < half.q.size() / 2; ++i)
        q[i] = static_cast<std::uint16_t>(q[i] + (9 << 10));  // ×512
    half.problem.scale = 1.0F;
    const auto truth = referenceAttention(half.problem);
    run(half.problem);
    EXPECT_TRUE(allFinite(half.output()));
    EXPECT_GE(cosine(half.output(), truth.out), 0.9999);
}

TEST_P(ExactAttention, NanInAQueryStaysInItsRow) {
    AttentionCase c({1, 1, 1, 60, 70, 64}, DataType::Float32);
    reinterpret_cast<float*>(c.q.data())[5 * 64 + 3] = std::numeric_limits<float>::quiet_NaN();
    run(c.problem);
    const auto out = c.output();
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(std::isnan(out[i]), i / 64 == 5);
}

TEST_P(ExactAttention, GivesTheSameBitsForAnyNumberOfThreads) {
    AttentionCase c({1, 3, 3, 200, 300, 64}, DataType::BFloat16);
    c.problem.threads = 1;
    run(c.problem);
    const auto one = c.output();
    for (const int threads : {2, 5}) {
        c.problem.threads = threads;
        run(c.problem);
        EXPECT_EQ(c.output(), one) << threads << " threads";
    }
}

TEST_P(ExactAttention, RowsOfMinusInfinityGiveZero) {
    AttentionCase c({1, 1, 1, 50, 450, 64}, DataType::Float32);
    auto* q = reinterpret_cast<float*>(c.q.data());
    auto* k = reinterpret_cast<float*>(c.k.data());
    for (std::size_t i = 0; i < c.q.size() / 4; ++i) q[i] = 0.5F + std::abs(q[i]);
    for (std::size_t n = 0; n < 450; ++n) k[n * 64 + 7] = -std::numeric_limits<float>::infinity();
    c.withLse();
    std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
    run(c.problem);
    EXPECT_EQ(largest(c.output()), 0);
    EXPECT_TRUE(allFinite(c.output()));
    for (const float lse : c.lse) ASSERT_EQ(lse, -std::numeric_limits<float>::infinity());
}

TEST_P(ExactAttention, MaskedBlocksBeforeOrAfterTheVisibleOnesChangeNothing) {
    // Whole turns of −inf at either end of the walk, first seen or last seen.
    for (const bool atTheEnd : {false, true}) {
        AttentionCase c({1, 1, 1, 50, 600, 64}, DataType::Float32);
        auto* q = reinterpret_cast<float*>(c.q.data());
        auto* k = reinterpret_cast<float*>(c.k.data());
        for (std::size_t i = 0; i < c.q.size() / 4; ++i) q[i] = 0.5F + std::abs(q[i]);
        for (std::size_t n = 0; n < 300; ++n)
            k[(atTheEnd ? n + 300 : n) * 64 + 7] = -std::numeric_limits<float>::infinity();
        expectAsGoodAsPlainCode(c, method());
    }
}

TEST_P(ExactAttention, ScoresThatRiseAlongTheWalkKeepTheirWeights) {
    // In one of the two directions every turn's scores are far above the turn's before: what was weighed
    // relative to those must not overflow, nor weigh as much as before.
    for (const bool growing : {true, false})
        for (const float slope : {0.005F, 0.05F}) {
            AttentionCase c({1, 1, 1, 70, 900, 64}, DataType::BFloat16);
            auto* q = reinterpret_cast<std::uint16_t*>(c.q.data());
            auto* k = reinterpret_cast<std::uint16_t*>(c.k.data());
            for (std::size_t i = 0; i < c.q.size() / 2; ++i)
                q[i] = bf16FromFloat(1 + 0.1F * floatFromBf16(q[i]));
            for (std::size_t i = 0; i < c.k.size() / 2; ++i) {
                const std::size_t n = i / 64;
                k[i] = bf16FromFloat(0.1F * floatFromBf16(k[i]) +
                                     static_cast<float>(growing ? n : 900 - n) * slope);
            }
            expectAsGoodAsPlainCode(c, method());
        }
}

TEST_P(ExactAttention, ANanInALateKeyIsSeenInEveryRow) {
    for (const std::size_t key : {std::size_t{20}, std::size_t{800}}) {
        AttentionCase c({1, 1, 1, 70, 900, 64}, DataType::BFloat16);
        reinterpret_cast<std::uint16_t*>(c.k.data())[key * 64 + 3] = 0x7FC0;
        run(c.problem);
        for (const double x : c.output()) ASSERT_TRUE(std::isnan(x)) << key;
    }
}

class Fav3 : public OnInstructionSet, public testing::WithParamInterface<InstructionSet> {
  protected:
    void SetUp() override { forceOrSkip(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Kernels, Fav3, testing::ValuesIn(kInstructionSets),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

TEST_P(Fav3, SumsInAnotherOrderThanFav2) {
    // Equal bits over several turns would mean that one kernel ran under both names.
    AttentionCase c({1, 1, 1, 100, 700, 64}, DataType::Float32);
    cpu::attend(Method::Flash, c.problem);
    const auto forward = c.output();
    cpu::attend(Method::Flash3, c.problem);
    EXPECT_NE(c.output(), forward);
}

}  // namespace
}  // namespace reelgrid::kernels::test
