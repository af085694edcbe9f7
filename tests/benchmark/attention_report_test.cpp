#include "core/benchmark/attention_report.h"

#include <gtest/gtest.h>

#include "tests/benchmark/two_rows.h"

namespace reelgrid::benchmark {
namespace {

constexpr double kFlop = 4.0 * 128 * 100 * 100;

TEST(AttentionFigures, AreThoseOfTheFormulas) {
    const AttentionReport report = twoRows("sagev1");
    const MeasuredCase& measured = report.cases[0];
    const AttentionRow &sdpa = measured.rows[0], &sage = measured.rows[1];
    EXPECT_DOUBLE_EQ(rateOf(measured, sage), kFlop / 0.5e-3);
    EXPECT_DOUBLE_EQ(kernelRateOf(measured, sdpa).value(), kFlop / 1e-3);
    EXPECT_EQ(kernelRateOf(measured, sage), std::nullopt);
    EXPECT_DOUBLE_EQ(timesSdpa(measured, sage), 2);
    // bf16 throughout, and Q and K as bytes.
    EXPECT_DOUBLE_EQ(bytesOf(measured, sdpa), 12800 * 8);
    EXPECT_DOUBLE_EQ(bytesOf(measured, sage), 12800 * (1 + 1 + 2 + 2));
    EXPECT_DOUBLE_EQ(bandwidthOf(measured, sage), 12800 * 6 / 0.5e-3);
    EXPECT_DOUBLE_EQ(intensityOf(measured, sdpa), kFlop / (12800 * 8));
}

TEST(AttentionFigures, AreThoseOfTheKernelThatRan) {
    AttentionReport report = twoRows("fav3_fp8");
    report.cases[0].rows[1].used = "sdpa";
    EXPECT_DOUBLE_EQ(bytesOf(report.cases[0], report.cases[0].rows[1]), 12800 * 8);
}

TEST(AttentionFigures, TheRoofIsTheLowerOfComputeAndMemory) {
    AttentionReport report = twoRows();
    const MeasuredCase& measured = report.cases[0];
    const AttentionRow& row = measured.rows[1];  // 50 operations a byte
    ASSERT_TRUE(roofOf(report, measured, row));
    EXPECT_DOUBLE_EQ(roofOf(report, measured, row)->rate, 20.48e9);
    EXPECT_EQ(roofOf(report, measured, row)->bound, BoundBy::Compute);
    report.peaks.bytesPerSecond = 0.1e9;
    EXPECT_DOUBLE_EQ(roofOf(report, measured, row)->rate, 5e9);
    EXPECT_EQ(roofOf(report, measured, row)->bound, BoundBy::Memory);
    report.peaks.bytesPerSecond = 0;
    EXPECT_EQ(roofOf(report, measured, row), std::nullopt);
}

TEST(AttentionFigures, ASparseKernelHasNoShareOfThePeak) {
    AttentionReport report = twoRows("sla");
    EXPECT_DOUBLE_EQ(shareOfPeak(report, report.cases[0], report.cases[0].rows[1]).value(), 0.5);
    report.cases[0].rows[1].dense = false;
    EXPECT_EQ(shareOfPeak(report, report.cases[0], report.cases[0].rows[1]), std::nullopt);
    report.peaks = {};
    EXPECT_EQ(shareOfPeak(report, report.cases[0], report.cases[0].rows[0]), std::nullopt);
}

TEST(Peaks, HoldATypeAgainstItsOwn) {
    const Peaks wide{.fp32 = 1, .bf16 = 2, .int8 = 4};
    EXPECT_EQ(wide.of(kernels::DataType::Float32), 1);
    EXPECT_EQ(wide.of(kernels::DataType::BFloat16), 2);
    EXPECT_EQ(wide.of(kernels::DataType::Float16), 1);
    EXPECT_EQ((Peaks{.fp32 = 1}).of(kernels::DataType::BFloat16), 1);
    EXPECT_EQ((Peaks{.fp32 = 1, .fp16 = 3}).of(kernels::DataType::Float16), 3);
    const Peaks both = highest(wide, {.fp32 = 3, .bytesPerSecond = 7});
    EXPECT_EQ(both.fp32, 3);
    EXPECT_EQ(both.int8, 4);
    EXPECT_EQ(both.bytesPerSecond, 7);
}

TEST(Peaks, OfThisMachineAreMeasured) {
    const Peaks wall = measurePeaks({}, Clock::Wall);
    EXPECT_GT(wall.bytesPerSecond, 1e8);
    EXPECT_LT(wall.bytesPerSecond, 1e13);
    EXPECT_EQ(measurePeaks({}, Clock::Processor).bytesPerSecond, 0) << "of one thread it says nothing";
}

}  // namespace
}  // namespace reelgrid::benchmark
