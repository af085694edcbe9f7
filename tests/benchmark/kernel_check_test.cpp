#include "core/benchmark/kernel_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace reelgrid::benchmark {
namespace {

using kernels::AttentionProblem;

/// What TF32 keeps of a factor: 10 bits behind the first.
float asTf32(float x) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000U) & ~0x1FFFU);
}
float asItIs(float x) {
    return x;
}

/// Exact attention in fp32 whose scores are summed a term at a time, the order with the largest error.
template <float (*kFactor)(float)>
void attendInFp32(const AttentionProblem& p) {
    const auto rowOf = [](const void* x, const kernels::Strides& strides, std::int64_t head,
                          std::int64_t token) {
        return static_cast<const float*>(x) + head * strides.head + token * strides.token;
    };
    std::vector<float> weights(static_cast<std::size_t>(p.keys));
    for (std::int64_t head = 0; head < p.queryHeads; ++head)
        for (std::int64_t query = 0; query < p.queries; ++query) {
            const float* const q = rowOf(p.q, p.qStrides, head, query);
            float largest = -INFINITY;
            for (std::int64_t key = 0; key < p.keys; ++key) {
                const float* const k = rowOf(p.k, p.kStrides, head, key);
                volatile float score = 0;  // in this order
                for (std::int64_t i = 0; i < p.headDim; ++i) score = score + kFactor(q[i]) * kFactor(k[i]);
                weights[static_cast<std::size_t>(key)] = score * p.scale;
                largest = std::max(largest, score * p.scale);
            }
            double sum = 0;
            std::vector<double> out(static_cast<std::size_t>(p.headDim));
            for (std::int64_t key = 0; key < p.keys; ++key) {
                const double weight = std::exp(weights[static_cast<std::size_t>(key)] - largest);
                sum += weight;
                const float* const v = rowOf(p.v, p.vStrides, head, key);
                for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight * v[i];
            }
            auto* const to =
                static_cast<float*>(p.out) + head * p.outStrides.head + query * p.outStrides.token;
            for (std::size_t i = 0; i < out.size(); ++i) to[i] = static_cast<float>(out[i] / sum);
        }
}

template <float (*kFactor)(float)>
CheckOutcome checked(CheckValues values) {
    kernels::BackendInfo backend{.name = "plain", .title = "", .description = ""};
    backend.cpu = {.deviation = "", .supports = {.maxHeadDim = 256}, .plan = [](const AttentionProblem&) {
                       return kernels::AttentionPlan{.attend = &attendInFp32<kFactor>};
                   }};
    CheckCase wanted{.name = "", .shape = *parseShape("1,2,97,128,211")};
    wanted.values = values;
    return checkKernel(backend, wanted, {}, {});
}

constexpr CheckValues kLargeScores[] = {CheckValues::LargeOffset, CheckValues::Opposed,
                                        CheckValues::OutlierChannel};

TEST(CheckKernel, LetsFp32SumScoresInAnyOrder) {
    for (const CheckValues values : kLargeScores)
        EXPECT_EQ(checked<asItIs>(values).failure, "") << static_cast<int>(values);
}

TEST(CheckKernel, SeesProductsOfTf32) {
    for (const CheckValues values : kLargeScores)
        EXPECT_THAT(checked<asTf32>(values).failure, testing::HasSubstr("largest error"))
            << static_cast<int>(values);
}

}  // namespace
}  // namespace reelgrid::benchmark
