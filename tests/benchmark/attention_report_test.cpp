#include "core/benchmark/attention_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace reelgrid::benchmark {
namespace {

/// 4·128·100·100 operations in 1 ms by sdpa, 0.5 ms by the other.
AttentionReport twoRows() {
    AttentionReport report;
    report.instructionSet = "avx2";
    report.threads = 2;
    report.peaks.fp32 = 20.48e9;
    MeasuredCase measured;
    measured.wanted.shape = *parseShape("1,1,100,128");
    const auto add = [&](const char* kernel, double p50) -> AttentionRow& {
        AttentionRow row;
        row.kernel = row.used = kernel;
        row.p50 = p50;
        row.p95 = 2 * p50;
        measured.rows.push_back(row);
        return measured.rows.back();
    };
    add("sdpa", 1e-3).kernelP50 = 1e-3;
    add("fav2", 0.5e-3);
    report.cases.push_back(measured);
    return report;
}

TEST(AttentionReport, HasTheFieldsThatReadersExpect) {
    const nlohmann::json document = asJson(twoRows());
    EXPECT_EQ(document["device"], "cpu");
    ASSERT_EQ(document["rows"].size(), 2U);
    for (const auto& row : document["rows"])
        for (const char* field : {"kernel", "used", "dtype", "shape", "ms_p50", "ms_p95", "ms_kernel_p50",
                                  "tflops", "cosine", "l1", "rmse"})
            EXPECT_TRUE(row.contains(field)) << field;
    const auto& fav2 = document["rows"][1];
    EXPECT_EQ(fav2["dtype"], "bf16");
    EXPECT_EQ(fav2["shape"], (nlohmann::json{1, 1, 100, 128}));
    EXPECT_DOUBLE_EQ(fav2["ms_p50"], 0.5);
    EXPECT_DOUBLE_EQ(fav2["gflops"], 10.24);
    EXPECT_DOUBLE_EQ(fav2["tflops"], 0.01024);
    EXPECT_DOUBLE_EQ(fav2["x_sdpa"], 2);
    EXPECT_DOUBLE_EQ(fav2["peak_share"], 0.5);
    EXPECT_DOUBLE_EQ(fav2["flop_per_byte"], 4 * 100 * 100 * 128.0 / (4 * 100 * 128 * 2));
    EXPECT_DOUBLE_EQ(fav2["gbytes_per_s"], 4 * 100 * 128 * 2 / 0.5e-3 / 1e9);
}

TEST(AttentionReport, LeavesOutWhatWasNotMeasured) {
    AttentionReport report = twoRows();
    nlohmann::json document = asJson(report);
    EXPECT_TRUE(document["rows"][1]["ms_kernel_p50"].is_null());
    EXPECT_DOUBLE_EQ(document["rows"][0]["ms_kernel_p50"], 1);
    EXPECT_FALSE(document["rows"][1].contains("why"));
    EXPECT_FALSE(document["peak_gflops"].contains("bf16"));
    report.peaks = {};
    EXPECT_FALSE(asJson(report)["rows"][1].contains("peak_share"));
}

TEST(AttentionReport, ASparseKernelHasNoShareOfThePeak) {
    AttentionReport report = twoRows();
    report.cases[0].rows[1].dense = false;
    const nlohmann::json row = asJson(report)["rows"][1];
    EXPECT_FALSE(row.contains("peak_share"));
    EXPECT_EQ(row["flop_is_dense_equivalent"], true);
}

TEST(AttentionReport, HoldsATypeAgainstItsOwnPeak) {
    const Peaks wide{.fp32 = 1, .bf16 = 2, .int8 = 4};
    EXPECT_EQ(wide.of(kernels::DataType::Float32), 1);
    EXPECT_EQ(wide.of(kernels::DataType::BFloat16), 2);
    EXPECT_EQ(wide.of(kernels::DataType::Float16), 1);
    EXPECT_EQ((Peaks{.fp32 = 1}).of(kernels::DataType::BFloat16), 1);
    const Peaks both = highest(wide, {.fp32 = 3});
    EXPECT_EQ(both.fp32, 3);
    EXPECT_EQ(both.int8, 4);
}

}  // namespace
}  // namespace reelgrid::benchmark
