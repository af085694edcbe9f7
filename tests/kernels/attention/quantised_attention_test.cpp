// sagev1, fav3_sage and fav3_fp8: each makes the error of its definition (method_oracle.h) and no other.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "kernels/attention/half_types.h"
#include "kernels/cpu/attention/attention_cpu.h"
#include "tests/kernels/attention/attention_case.h"
#include "tests/kernels/attention/method_oracle.h"
#include "tests/kernels/instruction_sets.h"

namespace reelgrid::kernels::test {
namespace {

constexpr DataType kQuantisedTypes[] = {DataType::Float32, DataType::BFloat16, DataType::Float16};

struct Quantised {
    const char* name;
    Method method;
    /// What the definition leaves open: P and V in bf16 (sagev1); elsewhere the ties that fp32 and float64
    /// see differently, few elements by much.
    double freedom;
    double freedomL1;
    double leastCosine;
    double mostL1;

    [[nodiscard]] Quantisation definition(int headDim) const { return quantisationOf(method, headDim); }
    friend void PrintTo(const Quantised& method, std::ostream* out) { *out << method.name; }
};

class QuantisedAttention : public OnInstructionSet,
                           public testing::WithParamInterface<std::tuple<Quantised, InstructionSet>> {
  protected:
    void SetUp() override { forceOrSkip(std::get<1>(GetParam())); }

    static const Quantised& method() { return std::get<0>(GetParam()); }

    static std::vector<double> run(AttentionCase& c) {
        std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
        cpu::attend(method().method, c.problem);
        EXPECT_TRUE(c.guardIntact()) << c.name();
        return c.output();
    }

    static std::vector<double> defined(const AttentionCase& c) {
        return quantisedAttention(c.problem, method().definition(static_cast<int>(c.problem.headDim)));
    }

    static void expectTheMethodsOwnError(AttentionCase& c) {
        const auto definition = defined(c);
        const double rounding = c.problem.type == DataType::Float32 ? 0 : 1.0 / 256;
        const auto out = run(c);
        ASSERT_TRUE(allFinite(out)) << c.name();
        EXPECT_LE(maxError(out, definition),
                  (method().freedom + rounding) * std::max(largest(definition), 1e-30))
            << c.name();
        if (largest(definition) == 0) return;
        EXPECT_LE(relativeL1(out, definition), method().freedomL1 + rounding / 2) << c.name();
    }
};

// e4m3 keeps 3 bits of P and of V: on normal inputs each alone makes a relative L1 error near 0.026.
constexpr Quantised kSageV1{"SageV1", Method::Sage1, 0.01, 0.003, 0.999, 0.03};
constexpr Quantised kSageV2{"SageV2", Method::Sage2, 0.012, 0.0005, 0.999, 0.045};
constexpr Quantised kFav3Sage{"Fav3Sage", Method::Flash3Sage, 0.012, 0.0005, 0.999, 0.045};
constexpr Quantised kFav3Fp8{"Fav3Fp8", Method::Flash3Fp8, 0.012, 0.0005, 0.998, 0.07};
INSTANTIATE_TEST_SUITE_P(Kernels, QuantisedAttention,
                         testing::Combine(testing::Values(kSageV1, kSageV2, kFav3Sage, kFav3Fp8),
                                          testing::ValuesIn(kInstructionSets)),
                         nameOfMethodAndSet);

TEST_P(QuantisedAttention, MakesTheErrorOfItsDefinitionAndNoOther) {
    for (const auto type : kQuantisedTypes)
        for (const std::int64_t dim : {64, 128, 40, 96})
            for (const auto& [queries, keys] :
                 {std::pair{1, 1}, {239, 1}, {1, 203}, {113, 203}, {129, 65}, {200, 257}}) {
                AttentionCase c({1, 2, 2, queries, keys, dim}, type);
                expectTheMethodsOwnError(c);
            }
}

TEST_P(QuantisedAttention, MakesTheErrorOfItsDefinitionOnEveryInputFamily) {
    for (const auto type : kQuantisedTypes)
        for (const auto family :
             {Family::OutlierChannels, Family::KeyBias, Family::Sink, Family::Zeros, Family::Outliers}) {
            AttentionCase c({1, 1, 1, 150, 211, 128}, type, family);
            expectTheMethodsOwnError(c);
        }
}

TEST_P(QuantisedAttention, MakesTheErrorOfItsDefinitionOverSeveralScaleBlocks) {
    AttentionCase c({1, 1, 1, 300, 700, 64}, DataType::Float32, Family::OutlierChannels);
    expectTheMethodsOwnError(c);
    AttentionCase wide({1, 1, 1, 300, 700, 128}, DataType::Float32, Family::OutlierChannels);
    expectTheMethodsOwnError(wide);
    AttentionCase uneven({1, 1, 1, 799, 3, 128}, DataType::BFloat16);
    expectTheMethodsOwnError(uneven);
}

TEST_P(QuantisedAttention, MakesTheErrorOfItsDefinitionBeyondTheCache) {
    // More than a megabyte of packed keys and values: some machines walk them with several tiles side by
    // side.
    AttentionCase c({1, 1, 1, 200, 6000, 64}, DataType::Float32);
    expectTheMethodsOwnError(c);
}

TEST_P(QuantisedAttention, AddsAKeyBiasAfterTheScales) {
    std::vector<float> bias(150);
    for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = 2 * std::sin(static_cast<float>(j));
    AttentionCase c({1, 2, 1, 90, 150, 64}, DataType::Float32);
    c.problem.keyBias = bias.data();
    expectTheMethodsOwnError(c);
}

TEST_P(QuantisedAttention, TakesAnyHeadDimUpTo256) {
    for (const std::int64_t dim : {1, 7, 33, 72, 80, 160, 192, 255, 256}) {
        AttentionCase c({1, 1, 1, 51, 77, dim}, DataType::Float32);
        expectTheMethodsOwnError(c);
    }
}

TEST_P(QuantisedAttention, IsCloseToTheTruth) {
    for (const auto type : kQuantisedTypes)
        for (const std::int64_t dim : {64, 128})
            for (const auto family : {Family::Normal, Family::KeyBias}) {
                // Nothing takes the bias out of fav3_fp8's keys: its error there is the method's.
                if (family == Family::KeyBias && !method().definition(128).centreKeys) continue;
                AttentionCase c({1, 2, 2, 300, 517, dim}, type, family);
                const auto truth = referenceAttention(c.problem);
                const auto out = run(c);
                EXPECT_GE(cosine(out, truth.out), method().leastCosine) << c.name();
                EXPECT_LE(relativeL1(out, truth.out), method().mostL1) << c.name();
            }
}

TEST_P(QuantisedAttention, NeverWritesToTheCallersTensors) {
    AttentionCase c({1, 2, 1, 70, 90, 64}, DataType::BFloat16, Family::KeyBias);
    const auto q = c.q;
    const auto k = c.k;
    const auto v = c.v;
    run(c);
    EXPECT_EQ(c.q, q);
    EXPECT_EQ(c.k, k);
    EXPECT_EQ(c.v, v);
}

TEST_P(QuantisedAttention, AllZeroBlocksGiveNumbers) {
    // Upstream divides 0 by 0 there.
    AttentionCase c({1, 1, 1, 512, 448, 64}, DataType::Float32);
    auto* q = reinterpret_cast<float*>(c.q.data());
    auto* k = reinterpret_cast<float*>(c.k.data());
    std::fill(q + 256 * 64, q + 512 * 64, 0.0F);
    std::fill(k, k + 448 * 64, 0.5F);  // all keys equal: zero after smoothing
    expectTheMethodsOwnError(c);
    std::fill(k + 128 * 64, k + 448 * 64, 0.0F);
    expectTheMethodsOwnError(c);
}

TEST_P(QuantisedAttention, AllZeroValueChannelGivesZero) {
    AttentionCase c({1, 1, 1, 50, 70, 64}, DataType::BFloat16);
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    for (std::size_t n = 0; n < 70; ++n) v[n * 64 + 9] = 0;
    const auto out = run(c);
    for (std::size_t n = 0; n < 50; ++n) EXPECT_EQ(out[n * 64 + 9], 0.0);
}

TEST_P(QuantisedAttention, NearZeroTensorsGiveNumbers) {
    for (const auto type : kQuantisedTypes) {
        AttentionCase c({1, 1, 1, 60, 130, 64}, type, Family::Underflow);
        EXPECT_TRUE(allFinite(run(c))) << c.name();
    }
}

TEST_P(QuantisedAttention, ValuesBeyondFp16DoNotOverflow) {
    AttentionCase c({1, 1, 1, 60, 130, 64}, DataType::BFloat16);
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    for (std::size_t i = 0; i < c.v.size() / 2; ++i)
        v[i] = bf16FromFloat(floatFromBf16(v[i]) * 1e6F);  // far above 65504
    expectTheMethodsOwnError(c);
}

TEST_P(QuantisedAttention, ANanIsSeenInTheOutput) {
    for (const int which : {0, 1, 2}) {
        AttentionCase c({1, 1, 1, 60, 130, 64}, DataType::Float32);
        auto& data = which == 0 ? c.q : which == 1 ? c.k : c.v;
        reinterpret_cast<float*>(data.data())[17 * 64 + 5] = std::numeric_limits<float>::quiet_NaN();
        const auto out = run(c);
        EXPECT_TRUE(std::isnan(out[17 * 64 + 5])) << which;
    }
}

TEST_P(QuantisedAttention, KeysBeyondTheTailWeighNothing) {
    // After smoothing a padding key scores 0, which would beat keys that score below it.
    for (const int keys : {1, 63, 65, 127, 129, 191, 225}) {
        AttentionCase c({1, 1, 1, 48, keys, 64}, DataType::Float32, Family::Sink);
        expectTheMethodsOwnError(c);
    }
}

TEST_P(QuantisedAttention, SinksAtTheFirstKeysKeepTheirWeight) {
    // Walked from the first key on, P of every later key is far below the sinks' and rounds away in e4m3.
    AttentionCase c({1, 1, 1, 100, 900, 128}, DataType::BFloat16, Family::Sink);
    const auto truth = referenceAttention(c.problem);
    expectTheMethodsOwnError(c);
    EXPECT_GE(cosine(run(c), truth.out), 0.99);
}

TEST_P(QuantisedAttention, GrowingScoresDoNotOverflowTheWeights) {
    // Every turn raises the maximum in one of the two directions of walking.
    for (const bool growing : {true, false}) {
        AttentionCase c({1, 1, 1, 70, 900, 64}, DataType::Float32);
        auto* q = reinterpret_cast<float*>(c.q.data());
        auto* k = reinterpret_cast<float*>(c.k.data());
        for (std::size_t i = 0; i < 70 * 64; ++i) q[i] = 1 + 0.1F * q[i];
        for (std::size_t n = 0; n < 900; ++n)
            for (std::size_t d = 0; d < 64; ++d)
                k[n * 64 + d] = 0.1F * k[n * 64 + d] + static_cast<float>(growing ? n : 900 - n) * 0.005F;
        expectTheMethodsOwnError(c);
    }
}

TEST_P(QuantisedAttention, CausalMaskIsAlignedAtTheBottomRight) {
    for (const auto& [queries, keys] : {std::pair{113, 203}, {203, 113}, {150, 150}}) {
        AttentionCase c({1, 2, 1, queries, keys, 64}, DataType::BFloat16, Family::Normal, Layout::HeadsFirst,
                        Mask::Causal);
        const auto out = run(c);
        const auto truth = referenceAttention(c.problem);
        ASSERT_TRUE(allFinite(out)) << c.name();
        EXPECT_GE(cosine(out, truth.out), method().leastCosine) << c.name();
    }
}

TEST_P(QuantisedAttention, SharedKeyHeadsAndBatchesUseTheirOwnScales) {
    AttentionCase c({2, 6, 2, 140, 90, 64}, DataType::BFloat16, Family::OutlierChannels, Layout::HeadsFirst);
    expectTheMethodsOwnError(c);
}

TEST_P(QuantisedAttention, GivesTheSameBitsForAnyNumberOfThreads) {
    AttentionCase c({1, 3, 3, 200, 300, 64}, DataType::BFloat16);
    c.problem.threads = 1;
    run(c);
    const auto one = c.output();
    for (const int threads : {2, 5}) {
        c.problem.threads = threads;
        run(c);
        EXPECT_EQ(c.output(), one) << threads << " threads";
    }
}

TEST_P(QuantisedAttention, LogSumExpIsThatOfTheTruth) {
    for (const auto family : {Family::Normal, Family::KeyBias}) {
        if (family == Family::KeyBias && !method().definition(64).centreKeys) continue;
        AttentionCase c({1, 2, 1, 100, 150, 64}, DataType::Float32, family);
        c.withLse();
        const auto truth = referenceAttention(c.problem);
        run(c);
        for (std::size_t i = 0; i < truth.lse.size(); ++i)
            ASSERT_NEAR(c.lse[i], truth.lse[i], 0.025) << c.name();
    }
}

class IntegerScores : public QuantisedAttention {};
INSTANTIATE_TEST_SUITE_P(Kernels, IntegerScores,
                         testing::Combine(testing::Values(kSageV1, kSageV2, kFav3Sage),
                                          testing::ValuesIn(kInstructionSets)),
                         nameOfMethodAndSet);

/// Of methods whose weights are powers of two as they are: sagev2's log-sum-exp has 2^8.807 in it.
class VectorIntegers : public QuantisedAttention {};
INSTANTIATE_TEST_SUITE_P(Kernels, VectorIntegers,
                         testing::Combine(testing::Values(kSageV1, kFav3Sage),
                                          testing::Values(InstructionSet::Avx2, InstructionSet::Avx512,
                                                          InstructionSet::Amx)),
                         nameOfMethodAndSet);

TEST_P(VectorIntegers, AreThePortableVariantsBitForBit) {
    // The first query of a causal problem sees one key: its log-sum-exp is that score itself. Two integer
    // sums that differ by one would differ in their floats, too.
    AttentionCase c({20, 16, 16, 30, 30, 128}, DataType::Float32, Family::OutlierChannels, Layout::HeadsFirst,
                    Mask::Causal);
    c.withLse();
    run(c);
    const std::vector<float> here = c.lse;
    const ForcedInstructionSet forced(InstructionSet::Portable);
    run(c);
    for (std::size_t i = 0; i < here.size(); i += 30) ASSERT_EQ(here[i], c.lse[i]) << "head " << i / 30;
}

TEST_P(IntegerScores, SmoothingCutsTheErrorOfBiasedKeysFiveTimes) {
    AttentionCase c({1, 1, 1, 200, 400, 128}, DataType::Float32, Family::KeyBias);
    if (method().definition(128).roundWeights) {
        // Below a larger bias fav3_sage's e4m3 P and V, which smoothing can't help, are most of its error.
        auto* k = reinterpret_cast<float*>(c.k.data());
        for (std::size_t i = 0; i < c.k.size() / 4; ++i) k[i] += i % 128 < 64 ? 64.0F : -64.0F;
    }
    const auto truth = referenceAttention(c.problem);
    Quantisation unsmoothed = method().definition(128);
    unsmoothed.centreKeys = false;
    const double before = relativeL1(quantisedAttention(c.problem, unsmoothed), truth.out);
    run(c);
    EXPECT_GE(before, 5 * relativeL1(c.output(), truth.out));
}

TEST_P(IntegerScores, WithoutSmoothingMakeTheErrorOfThatDefinition) {
    for (const auto family : {Family::Normal, Family::KeyBias}) {
        AttentionCase c({1, 4, 2, 150, 211, 64}, DataType::Float32, family);
        c.problem.keySmoothing = KeySmoothing::None;
        c.withLse();
        Quantisation unsmoothed = method().definition(64);
        unsmoothed.centreKeys = false;
        const auto definition = quantisedAttention(c.problem, unsmoothed);
        const auto out = run(c);
        EXPECT_LE(relativeL1(out, definition), method().freedomL1) << c.name();
        if (family == Family::KeyBias) {
            EXPECT_GT(relativeL1(defined(c), definition), 0.05) << "smoothing shows on these inputs";
            continue;
        }
        const auto truth = referenceAttention(c.problem);
        for (std::size_t i = 0; i < truth.lse.size(); ++i)
            ASSERT_NEAR(c.lse[i], truth.lse[i], 0.025) << c.name();
    }
}

class Fav3Fp8 : public QuantisedAttention {};
INSTANTIATE_TEST_SUITE_P(Kernels, Fav3Fp8,
                         testing::Combine(testing::Values(kFav3Fp8), testing::ValuesIn(kInstructionSets)),
                         nameOfMethodAndSet);

TEST_P(Fav3Fp8, BlocksAndRotationHalveTheErrorOfOutliers) {
    AttentionCase c({1, 1, 1, 64, 16384, 128}, DataType::Float32, Family::Outliers);
    const auto truth = referenceAttention(c.problem);
    Quantisation perTensor = method().definition(128);
    perTensor.scaleQueries = perTensor.scaleKeys = 0;
    perTensor.rotate = false;
    const double before = rootMeanSquareError(quantisedAttention(c.problem, perTensor), truth.out);
    run(c);
    EXPECT_GE(before, 2 * rootMeanSquareError(c.output(), truth.out));
}

TEST(SageV2, AScaleForEachThreadsRowsCutsTheErrorOfUnevenRows) {
    // Every eighth query and every fourth pair of keys is a hundred times as long as its neighbours.
    AttentionCase c({1, 1, 1, 128, 512, 64}, DataType::Float32);
    auto* q = reinterpret_cast<float*>(c.q.data());
    auto* k = reinterpret_cast<float*>(c.k.data());
    for (std::size_t n = 0; n < 128; n += 8)
        for (std::size_t d = 0; d < 64; ++d) q[n * 64 + d] *= 100;
    for (std::size_t n = 0; n < 512; ++n)
        for (std::size_t d = 0; d < 64; ++d) k[n * 64 + d] *= n % 8 < 2 ? 4.0F : 0.04F;
    const auto truth = referenceAttention(c.problem);
    const auto errorOf = [&](Method method) {
        cpu::attend(method, c.problem);
        return relativeL1(c.output(), truth.out);
    };
    EXPECT_LE(1.5 * errorOf(Method::Sage2), errorOf(Method::Flash3Sage));
}

}  // namespace
}  // namespace reelgrid::kernels::test
