#include "core/benchmark/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace reelgrid::benchmark {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
    EXPECT_EQ(median({5, 1, 3}), 3);
    EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(median({7}), 7);
    EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, PercentilesLieBetweenValuesAsNumpyHasThem) {
    // numpy.percentile([15, 20, 35, 40, 50], [0, 40, 95, 100])
    const std::vector<double> values{50, 20, 35, 15, 40};
    EXPECT_DOUBLE_EQ(percentile(values, 0), 15);
    EXPECT_DOUBLE_EQ(percentile(values, 0.4), 29);
    EXPECT_DOUBLE_EQ(percentile(values, 0.95), 48);
    EXPECT_DOUBLE_EQ(percentile(values, 1), 50);
    EXPECT_EQ(percentile({3}, 0.95), 3);
}

TEST(Statistics, VariationIsTheSamplesDeviationOverItsMean) {
    // statistics.stdev([2, 4, 4, 4, 5, 5, 7, 9]) / 5
    EXPECT_DOUBLE_EQ(variation({2, 4, 4, 4, 5, 5, 7, 9}).value(), 2.138089935299395 / 5);
    EXPECT_EQ(variation({3, 3, 3}), 0.0);
    EXPECT_EQ(variation({3}), std::nullopt);
    EXPECT_EQ(variation({}), std::nullopt);
}

}  // namespace
}  // namespace reelgrid::benchmark
