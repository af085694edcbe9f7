#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/attention/half_types.h"
#include "kernels/cpu/attention_cpu.h"
#include "tests/kernels/attention_case.h"

namespace reelgrid::kernels::test {
namespace {

constexpr DataType kTypes[] = {DataType::Float32, DataType::BFloat16, DataType::Float16};

/// SageAttention 1 written down once more, scalar and without tiles: K − mean, int8 by blocks, exact integer
/// scores, softmax, P · V in float64. `smooth` false leaves the mean in.
std::vector<double> scalarSage(const AttentionProblem& p, bool smooth) {
    std::vector<double> out;
    const auto dim = p.headDim;
    const auto at = [&](const void* data, const Strides& s, std::int64_t b, std::int64_t h, std::int64_t n,
                        std::int64_t d) {
        return elementAt(p.type, data, b * s.batch + h * s.head + n * s.token + d);
    };
    const auto quantise = [dim](std::vector<double>& rows, std::int64_t blockRows,
                                std::vector<double>& scales) {
        const auto block = static_cast<std::size_t>(blockRows * dim);
        for (std::size_t first = 0; first < rows.size(); first += block) {
            const std::size_t end = std::min(rows.size(), first + block);
            double top = 0;
            for (std::size_t i = first; i < end; ++i) top = std::max(top, std::abs(rows[i]));
            scales.push_back(top / 127);
            for (std::size_t i = first; i < end; ++i)
                rows[i] = top == 0 ? 0 : std::round(rows[i] / (top / 127));
        }
    };
    for (std::int64_t b = 0; b < p.batch; ++b)
        for (std::int64_t h = 0; h < p.queryHeads; ++h) {
            const std::int64_t keyHead = h / (p.queryHeads / p.keyHeads);
            std::vector<double> q, k, mean(static_cast<std::size_t>(dim), 0.0), qScales, kScales;
            for (std::int64_t j = 0; j < p.keys; ++j)
                for (std::int64_t d = 0; d < dim; ++d) {
                    k.push_back(at(p.k, p.kStrides, b, keyHead, j, d));
                    mean[static_cast<std::size_t>(d)] += k.back() / static_cast<double>(p.keys);
                }
            for (std::size_t i = 0; smooth && i < k.size(); ++i)
                k[i] -= mean[i % static_cast<std::size_t>(dim)];
            for (std::int64_t i = 0; i < p.queries; ++i)
                for (std::int64_t d = 0; d < dim; ++d)
                    q.push_back(at(p.q, p.qStrides, b, h, i, d) * static_cast<double>(p.scale));
            quantise(q, 128, qScales);
            quantise(k, 64, kScales);
            for (std::int64_t i = 0; i < p.queries; ++i) {
                std::vector<double> row(static_cast<std::size_t>(dim), 0.0);
                std::vector<double> scores;
                double top = -std::numeric_limits<double>::infinity();
                const std::int64_t seen =
                    p.mask == Mask::Causal ? std::min(p.keys, i + p.keys - p.queries + 1) : p.keys;
                for (std::int64_t j = 0; j < seen; ++j) {
                    double dot = 0;
                    for (std::int64_t d = 0; d < dim; ++d)
                        dot += q[static_cast<std::size_t>(i * dim + d)] *
                               k[static_cast<std::size_t>(j * dim + d)];
                    scores.push_back(dot * qScales[static_cast<std::size_t>(i / 128)] *
                                     kScales[static_cast<std::size_t>(j / 64)]);
                    top = std::max(top, scores.back());
                }
                double sum = 0;
                for (std::int64_t j = 0; j < seen; ++j) {
                    const double weight = std::exp(scores[static_cast<std::size_t>(j)] - top);
                    sum += weight;
                    for (std::int64_t d = 0; d < dim; ++d)
                        row[static_cast<std::size_t>(d)] += weight * at(p.v, p.vStrides, b, keyHead, j, d);
                }
                for (const double x : row) out.push_back(seen > 0 ? x / sum : 0);
            }
        }
    return out;
}

std::vector<double> run(AttentionCase& c, InstructionSet set) {
    const ForcedInstructionSet forced(set);
    std::fill(c.out.begin(), c.out.end(), std::uint8_t{0xFF});
    cpu::sageV1(c.problem);
    EXPECT_TRUE(c.guardIntact()) << c.name() << " on " << kernels::nameOf(set);
    return c.output();
}

void expectTheMethodsOwnError(AttentionCase& c) {
    const auto method = scalarSage(c.problem, true);
    for (const auto set : instructionSets()) {
        const auto out = run(c, set);
        ASSERT_TRUE(allFinite(out)) << c.name() << " on " << kernels::nameOf(set);
        // What is left beyond the quantised scores is P, V and the output in bf16.
        EXPECT_LE(maxError(out, method), 0.012 * std::max(largest(method), 1e-30))
            << c.name() << " on " << kernels::nameOf(set);
    }
}

TEST(SageV1, MakesTheErrorOfItsDefinitionAndNoOther) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : {64, 128, 40, 96})
            for (const auto& [queries, keys] :
                 {std::pair{1, 1}, {239, 1}, {1, 203}, {113, 203}, {129, 65}, {200, 257}}) {
                AttentionCase c({1, 2, 2, queries, keys, dim}, type);
                expectTheMethodsOwnError(c);
            }
}

TEST(SageV1, MakesTheErrorOfItsDefinitionOnEveryInputFamily) {
    for (const auto type : kTypes)
        for (const auto family : {Family::OutlierChannels, Family::KeyBias, Family::Sink, Family::Zeros}) {
            AttentionCase c({1, 1, 1, 150, 211, 128}, type, family);
            expectTheMethodsOwnError(c);
        }
}

TEST(SageV1, IsCloseToTheTruthOnNormalAndBiasedKeys) {
    for (const auto type : kTypes)
        for (const std::int64_t dim : {64, 128})
            for (const auto family : {Family::Normal, Family::KeyBias}) {
                AttentionCase c({1, 2, 2, 300, 517, dim}, type, family);
                const auto truth = referenceAttention(c.problem);
                for (const auto set : instructionSets()) {
                    const auto out = run(c, set);
                    EXPECT_GE(cosine(out, truth.out), 0.999) << c.name() << " on " << kernels::nameOf(set);
                    EXPECT_LE(relativeL1(out, truth.out), 0.03) << c.name() << " on " << kernels::nameOf(set);
                }
            }
}

TEST(SageV1, SmoothingCutsTheErrorOfBiasedKeysFiveTimes) {
    AttentionCase c({1, 1, 1, 200, 400, 128}, DataType::Float32, Family::KeyBias);
    const auto truth = referenceAttention(c.problem);
    const double unsmoothed = relativeL1(scalarSage(c.problem, false), truth.out);
    for (const auto set : instructionSets())
        EXPECT_GE(unsmoothed, 5 * relativeL1(run(c, set), truth.out)) << kernels::nameOf(set);
}

TEST(SageV1, NeverWritesToTheCallersTensors) {
    AttentionCase c({1, 2, 1, 70, 90, 64}, DataType::BFloat16, Family::KeyBias);
    const auto q = c.q;
    const auto k = c.k;
    const auto v = c.v;
    cpu::sageV1(c.problem);
    EXPECT_EQ(c.q, q);
    EXPECT_EQ(c.k, k);
    EXPECT_EQ(c.v, v);
}

TEST(SageV1, AllZeroBlocksGiveNumbers) {
    // Upstream divides 0 by 0 there.
    AttentionCase c({1, 1, 1, 256, 192, 64}, DataType::Float32);
    auto* q = reinterpret_cast<float*>(c.q.data());
    auto* k = reinterpret_cast<float*>(c.k.data());
    std::fill(q + 128 * 64, q + 256 * 64, 0.0F);  // the second block of queries
    std::fill(k, k + 192 * 64, 0.5F);             // all keys equal: zero after smoothing
    expectTheMethodsOwnError(c);
}

TEST(SageV1, AllZeroValueChannelGivesZero) {
    AttentionCase c({1, 1, 1, 50, 70, 64}, DataType::BFloat16);
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    for (std::size_t n = 0; n < 70; ++n) v[n * 64 + 9] = 0;
    const auto out = run(c, bestInstructionSet());
    for (std::size_t n = 0; n < 50; ++n) EXPECT_EQ(out[n * 64 + 9], 0.0);
}

TEST(SageV1, NearZeroTensorsGiveNumbers) {
    for (const auto type : kTypes) {
        AttentionCase c({1, 1, 1, 60, 130, 64}, type, Family::Underflow);
        for (const auto set : instructionSets())
            EXPECT_TRUE(allFinite(run(c, set))) << c.name() << kernels::nameOf(set);
    }
}

TEST(SageV1, ValuesBeyondFp16DoNotOverflow) {
    AttentionCase c({1, 1, 1, 60, 130, 64}, DataType::BFloat16);
    auto* v = reinterpret_cast<std::uint16_t*>(c.v.data());
    for (std::size_t i = 0; i < c.v.size() / 2; ++i)
        v[i] = bf16FromFloat(floatFromBf16(v[i]) * 1e6F);  // far above 65504
    expectTheMethodsOwnError(c);
}

TEST(SageV1, KeysBeyondTheTailWeighNothing) {
    // After smoothing a padding key scores 0, which would beat keys that score below it.
    for (const int keys : {1, 63, 65, 127, 129, 191}) {
        AttentionCase c({1, 1, 1, 48, keys, 64}, DataType::Float32, Family::Sink);
        expectTheMethodsOwnError(c);
    }
}

TEST(SageV1, CausalMaskIsAlignedAtTheBottomRight) {
    for (const auto& [queries, keys] : {std::pair{113, 203}, {203, 113}, {150, 150}}) {
        AttentionCase c({1, 2, 1, queries, keys, 64}, DataType::BFloat16, Family::Normal, Layout::HeadsFirst,
                        Mask::Causal);
        expectTheMethodsOwnError(c);
    }
}

TEST(SageV1, SharedKeyHeadsAndBatchesUseTheirOwnScales) {
    AttentionCase c({2, 6, 2, 140, 90, 64}, DataType::BFloat16, Family::OutlierChannels, Layout::HeadsFirst);
    expectTheMethodsOwnError(c);
}

TEST(SageV1, LogSumExpCountsTheMeanBackIn) {
    for (const auto family : {Family::Normal, Family::KeyBias}) {
        AttentionCase c({1, 2, 1, 100, 150, 64}, DataType::Float32, family);
        c.withLse();
        const auto truth = referenceAttention(c.problem);
        for (const auto set : instructionSets()) {
            run(c, set);
            for (std::size_t i = 0; i < truth.lse.size(); ++i)
                ASSERT_NEAR(c.lse[i], truth.lse[i], 0.02) << c.name() << " on " << kernels::nameOf(set);
        }
    }
}

TEST(SageV1, EveryInstructionSetSeesTheSameIntegers) {
    // V is the identity, so the output is P itself: one integer off by one would show as 1/127 of a score.
    AttentionCase c({1, 1, 1, 130, 64, 64}, DataType::Float32, Family::OutlierChannels);
    auto* v = reinterpret_cast<float*>(c.v.data());
    for (std::size_t i = 0; i < 64 * 64; ++i) v[i] = i / 64 == i % 64 ? 1.0F : 0.0F;
    c.withLse();
    run(c, InstructionSet::Portable);
    const auto scalar = c.lse;
    for (const auto set : instructionSets()) {
        run(c, set);
        for (std::size_t i = 0; i < scalar.size(); ++i)
            ASSERT_NEAR(c.lse[i], scalar[i], 1e-5) << kernels::nameOf(set) << " row " << i;
    }
}

}  // namespace
}  // namespace reelgrid::kernels::test
