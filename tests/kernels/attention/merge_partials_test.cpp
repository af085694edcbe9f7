#include "kernels/attention/merge_partials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/attention/half_types.h"

namespace reelgrid::kernels::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// One head of rows of two values.
struct PartialRows {
    explicit PartialRows(std::int64_t queries)
        : out(static_cast<std::size_t>(2 * queries), kNaN), lse(static_cast<std::size_t>(queries), kNaN) {
        merged.out = out.data();
        merged.lse = lse.data();
        merged.strides = {.batch = 2 * queries, .head = 2 * queries, .token = 2};
        merged.queries = queries;
        merged.headDim = 2;
        merged.threads = 2;
        startMerge(merged);
    }
    void add(std::vector<float> values, std::vector<float> valuesLse, std::int64_t firstQuery = 0) {
        AttentionPart part;
        part.out = values.data();
        part.lse = valuesLse.data();
        part.queries = static_cast<std::int64_t>(valuesLse.size());
        part.strides = {.batch = 0, .head = 0, .token = 2};
        part.firstQuery = firstQuery;
        mergePart(merged, part);
    }

    std::vector<float> out, lse;
    MergedAttention merged;
};

TEST(MergePartials, WithoutAPartNoKeyIsSeen) {
    const PartialRows rows(2);
    EXPECT_EQ(rows.out, (std::vector<float>{0, 0, 0, 0}));
    EXPECT_EQ(rows.lse, (std::vector<float>{-kInfinity, -kInfinity}));
}

TEST(MergePartials, OnePartIsKeptBitForBit) {
    PartialRows rows(1);
    rows.add({0.1F, -3e30F}, {7.3F});
    EXPECT_EQ(rows.out, (std::vector<float>{0.1F, -3e30F}));
    EXPECT_EQ(rows.lse[0], 7.3F);
}

TEST(MergePartials, WeighsPartsByTheirShareOfTheSum) {
    PartialRows rows(1);
    rows.add({4, 8}, {std::log(1.0F)});
    rows.add({8, 0}, {std::log(3.0F)});
    EXPECT_FLOAT_EQ(rows.out[0], 7);
    EXPECT_FLOAT_EQ(rows.out[1], 2);
    EXPECT_FLOAT_EQ(rows.lse[0], std::log(4.0F));
}

TEST(MergePartials, APartWithoutKeysAddsNothingWhateverItHolds) {
    PartialRows rows(2);
    rows.add({1, 2, 3, 4}, {-kInfinity, 5});
    rows.add({kNaN, kNaN, kNaN, kNaN}, {-kInfinity, -kInfinity});
    EXPECT_EQ(rows.out, (std::vector<float>{0, 0, 3, 4}));
    EXPECT_EQ(rows.lse, (std::vector<float>{-kInfinity, 5}));
}

TEST(MergePartials, FarApartLogSumExpsNeitherOverflowNorVanish) {
    for (const float far : {100.0F, 1e4F, 3e38F})
        for (const bool largeFirst : {false, true}) {
            PartialRows rows(1);
            rows.add({1, 2}, {largeFirst ? far : -far});
            rows.add({3, 4}, {largeFirst ? -far : far});
            EXPECT_EQ(rows.out, (largeFirst ? std::vector<float>{1, 2} : std::vector<float>{3, 4})) << far;
            EXPECT_EQ(rows.lse[0], far);
        }
}

TEST(MergePartials, EqualPartsAtALargeLogSumExpKeepTheirWeights) {
    // e^(lse − lse') of fp32 values near 1e6 would be off by percents.
    PartialRows rows(1);
    for (const float value : {1.0F, 3.0F}) rows.add({value, value}, {1e6F});
    EXPECT_FLOAT_EQ(rows.out[0], 2);
    EXPECT_NEAR(rows.lse[0], 1e6 + std::log(2.0), 0.07);  // a unit in the last place
}

TEST(MergePartials, ManyPartsAreTheirMean) {
    PartialRows rows(1);
    constexpr int kParts = 1000;
    for (int i = 0; i < kParts; ++i) rows.add({static_cast<float>(i), 1}, {-20});
    EXPECT_NEAR(rows.out[0], (kParts - 1) / 2.0, 0.01);
    EXPECT_NEAR(rows.out[1], 1, 1e-4);
    EXPECT_NEAR(rows.lse[0], -20 + std::log(double{kParts}), 1e-4);
}

TEST(MergePartials, NanStaysInItsRow) {
    for (const bool nanFirst : {false, true}) {
        PartialRows rows(3);
        const std::vector<float> sound{1, 2, 3, 4, 5, 6};
        const std::vector<float> broken{1, 2, kNaN, kNaN, 5, kNaN};
        rows.add(nanFirst ? broken : sound, {1, nanFirst ? kNaN : 1, 1});
        rows.add(nanFirst ? sound : broken, {1, nanFirst ? 1 : kNaN, 1});
        EXPECT_EQ(rows.out[0], 1);
        EXPECT_EQ(rows.out[4], 5);
        for (const std::size_t i : {2U, 3U, 5U}) EXPECT_TRUE(std::isnan(rows.out[i])) << i;
        EXPECT_TRUE(std::isnan(rows.lse[1]));
        EXPECT_FALSE(std::isnan(rows.lse[2]));
    }
}

TEST(MergePartials, APartMayCoverARangeOfTheQueries) {
    PartialRows rows(3);
    rows.add({1, 1, 2, 2, 3, 3}, {0, 0, 0});
    rows.add({4, 4}, {0}, 1);
    EXPECT_EQ(rows.out, (std::vector<float>{1, 1, 3, 3, 3, 3}));
    EXPECT_EQ(rows.lse[0], 0);
    EXPECT_FLOAT_EQ(rows.lse[1], std::log(2.0F));
}

TEST(MergePartials, FollowsStridesAndTypesOnBothSides) {
    // B 2, H 2, Nq 3, D 2: merged [B,H,N,D], the part bf16 [B,N,H,D], the result fp16 [B,N,H,D].
    constexpr std::int64_t kBatch = 2, kHeads = 2, kQueries = 3;
    constexpr Strides kTokensFirst{.batch = 12, .head = 2, .token = 4};
    std::vector<float> out(24), lse(12);
    MergedAttention merged;
    merged.out = out.data();
    merged.lse = lse.data();
    merged.strides = {.batch = 12, .head = 6, .token = 2};
    merged.batch = kBatch;
    merged.heads = kHeads;
    merged.queries = kQueries;
    merged.headDim = 2;
    startMerge(merged);

    std::vector<std::uint16_t> values(24), rounded(24);
    for (std::size_t i = 0; i < 24; ++i) values[i] = bf16FromFloat(static_cast<float>(i));
    const std::vector<float> valuesLse(12, 2.0F);
    AttentionPart part;
    part.out = values.data();
    part.lse = valuesLse.data();
    part.type = DataType::BFloat16;
    part.strides = kTokensFirst;
    part.queries = kQueries;
    mergePart(merged, part);
    mergePart(merged, part);
    for (const float x : lse) EXPECT_FLOAT_EQ(x, 2 + std::log(2.0F));
    for (std::int64_t b = 0; b < kBatch; ++b)
        for (std::int64_t h = 0; h < kHeads; ++h)
            for (std::int64_t n = 0; n < kQueries; ++n)
                EXPECT_EQ(out[static_cast<std::size_t>(b * 12 + h * 6 + n * 2)], b * 12 + h * 2 + n * 4);
    roundMerged(merged, DataType::Float16, rounded.data(), kTokensFirst);
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(rounded[i], fp16FromFloat(static_cast<float>(i)));
}

}  // namespace
}  // namespace reelgrid::kernels::test
