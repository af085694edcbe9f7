#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/capture/attention_map.h"
#include "core/capture/tensor_statistics.h"

namespace reelgrid::capture {
namespace {

using testing::DoubleNear;
using testing::Each;

at::Tensor counted(std::vector<std::int64_t> sizes) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count *= size;
    return at::arange(count, at::kFloat).reshape(sizes);
}

TEST(TensorStatistics, AreThoseOfAllValues) {
    const at::Tensor x = counted({2, 3, 5, 4}) - 50;
    const TensorStatistics statistics = statisticsOf(x.to(at::kBFloat16));
    EXPECT_EQ(statistics.elements, 120);
    EXPECT_DOUBLE_EQ(statistics.mean, 9.5);
    EXPECT_NEAR(statistics.deviation, std::sqrt((120.0 * 120 - 1) / 12), 1e-9);
    EXPECT_EQ(statistics.low, -50);
    EXPECT_EQ(statistics.high, 69);
    EXPECT_EQ(statistics.absMax(), 69);
    std::int64_t counted = 0;
    for (const std::int64_t bin : statistics.histogram) counted += bin;
    EXPECT_EQ(counted, 120);
}

TEST(TensorStatistics, WhatIsNotFiniteIsCountedAndLeftOut) {
    at::Tensor x = at::ones({1, 1, 4, 2});
    x[0][0][1][0] = std::numeric_limits<float>::quiet_NaN();
    x[0][0][2][1] = -std::numeric_limits<float>::infinity();
    x[0][0][3][1] = 3;
    const TensorStatistics statistics = statisticsOf(x);
    EXPECT_EQ(statistics.nans, 1);
    EXPECT_EQ(statistics.infinities, 1);
    EXPECT_DOUBLE_EQ(statistics.mean, 8.0 / 6);
    EXPECT_EQ(statistics.low, 1);
    EXPECT_EQ(statistics.high, 3);
    EXPECT_EQ(statistics.histogram.front(), 5);
    EXPECT_EQ(statistics.histogram.back(), 1);
    EXPECT_THAT(statistics.channels.at(0), testing::ElementsAre(1, 3));

    const TensorStatistics none = statisticsOf(x * std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(none.nans, 8);
    EXPECT_TRUE(none.histogram.empty());
}

TEST(TensorStatistics, AnOutlierChannelIsNamedFirst) {
    at::Tensor x = at::ones({1, 3, 8, 16});
    x[0][2][5][7] = -40;
    x[0][1][0][3] = 4;
    const TensorStatistics statistics = statisticsOf(x);
    ASSERT_GE(statistics.outliers.size(), 2U);
    EXPECT_EQ(statistics.outliers[0].head, 2);
    EXPECT_EQ(statistics.outliers[0].channel, 7);
    EXPECT_EQ(statistics.outliers[0].timesMedian, 40);
    EXPECT_EQ(statistics.outliers[1].head, 1);
    EXPECT_EQ(statistics.outliers[1].channel, 3);
}

CapturedCall callOf(std::int64_t queries, std::int64_t keys) {
    at::manual_seed(3);
    CapturedCall call;
    call.q_BHND = at::randn({1, 4, queries, 8});
    call.k_BHMD = at::randn({1, 2, keys, 8});
    call.v_BHMD = at::randn({1, 2, keys, 8});
    return call;
}

const auto kQuiet = [](int, int) {};

TEST(AttentionMap, ItsBlocksAreMeansOfTheSoftmax) {
    CapturedCall call = callOf(12, 10);
    call.scale = 0.5;
    call.keyBias_M = at::randn({10});
    const AttentionMap map = attentionMapOf(call, 0, 3, 5, kQuiet).value();
    EXPECT_EQ(map.rows, 5);
    EXPECT_EQ(map.columns, 5);
    // Heads 2 and 3 share the second key head.
    const at::Tensor weights =
        at::softmax(at::mm(call.q_BHND[0][3], call.k_BHMD[0][1].t()) * 0.5 + call.keyBias_M, 1);
    const std::vector<std::int64_t> edges{0, 2, 4, 7, 9, 12};
    for (std::int64_t row = 0; row < 5; ++row)
        for (std::int64_t column = 0; column < 5; ++column) {
            const double mean = weights.slice(0, edges[std::size_t(row)], edges[std::size_t(row) + 1])
                                    .slice(1, 2 * column, 2 * column + 2)
                                    .mean()
                                    .item<double>();
            EXPECT_THAT(map.means[std::size_t(row)][std::size_t(column)], DoubleNear(mean, 1e-7));
        }
}

TEST(AttentionMap, ACausalCallSeesNoLaterKey) {
    CapturedCall call = callOf(6, 6);
    call.mask = kernels::Mask::Causal;
    const AttentionMap map = attentionMapOf(call, 0, 0, 6, kQuiet).value();
    for (std::size_t query = 0; query < 6; ++query)
        for (std::size_t key = query + 1; key < 6; ++key) EXPECT_EQ(map.means[query][key], 0);
    EXPECT_EQ(map.means[0][0], 1);
}

TEST(AttentionMap, OfOtherNumbersOfQueriesAndKeysACausalMaskIsAlignedAtTheBottomRight) {
    for (const auto& [queries, keys] : {std::pair{3, 8}, {8, 3}}) {
        CapturedCall call = callOf(queries, keys);
        call.mask = kernels::Mask::Causal;
        const at::Tensor visible = at::ones({queries, keys}, at::kBool).tril(keys - queries);
        const at::Tensor scores = at::mm(call.q_BHND[0][0], call.k_BHMD[0][0].t()) / std::sqrt(8.0);
        const at::Tensor weights =
            at::softmax(scores.masked_fill(visible.logical_not(), -INFINITY), 1).nan_to_num(0.0);
        const AttentionMap map = attentionMapOf(call, 0, 0, 8, kQuiet).value();
        ASSERT_EQ(map.rows, queries);
        ASSERT_EQ(map.columns, keys);
        for (std::int64_t query = 0; query < queries; ++query)
            for (std::int64_t key = 0; key < keys; ++key)
                EXPECT_THAT(map.means[std::size_t(query)][std::size_t(key)],
                            DoubleNear(weights[query][key].item<double>(), 1e-7))
                    << query << " " << key;
    }
}

TEST(AttentionMap, LongBlocksAreSampledEvenly) {
    CapturedCall call = callOf(1000, 4);
    call.k_BHMD = at::zeros({1, 2, 4, 8});
    const AttentionMap map = attentionMapOf(call, 0, 0, 4, kQuiet).value();
    EXPECT_EQ(map.queriesPerBlock, 64);
    for (const auto& row : map.means) EXPECT_THAT(row, Each(DoubleNear(0.25, 1e-7)));
}

TEST(AttentionMap, AHeadThatIsNotThereIsRefused) {
    const auto none = attentionMapOf(callOf(4, 4), 0, 4, 4, kQuiet);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::BadUsage);
    EXPECT_EQ(none.error().message, "--head 4: a number from 0 to 3 was needed");
    EXPECT_EQ(attentionMapOf(callOf(4, 4), -1, 0, 4, kQuiet).error().code, ErrorCode::BadUsage);
}

}  // namespace
}  // namespace reelgrid::capture
