#include "core/benchmark/attention_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/benchmark/two_rows.h"

namespace reelgrid::benchmark {
namespace {

TEST(AttentionJson, HasTheFieldsThatReadersExpect) {
    const nlohmann::json document = asJson(twoRows());
    EXPECT_EQ(document["device"], "cpu");
    EXPECT_EQ(document["clock"], "wall");
    EXPECT_EQ(document["inputs"], "normal");
    EXPECT_EQ(document["seed"], 42);
    EXPECT_DOUBLE_EQ(document["peak_gbytes_per_s"], 1);
    ASSERT_EQ(document["rows"].size(), 2U);
    for (const auto& row : document["rows"])
        for (const char* field : {"kernel", "used", "dtype", "shape", "ms_p50", "ms_p95", "ms_kernel_p50",
                                  "tflops", "cosine", "l1", "rmse", "mae", "max_error", "bytes", "kv_heads"})
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
    EXPECT_EQ(fav2["bound"], "compute");
}

TEST(AttentionJson, LeavesOutWhatWasNotMeasured) {
    AttentionReport report = twoRows();
    nlohmann::json document = asJson(report);
    EXPECT_TRUE(document["rows"][1]["ms_kernel_p50"].is_null());
    EXPECT_DOUBLE_EQ(document["rows"][0]["ms_kernel_p50"], 1);
    for (const char* field : {"why", "cv", "tflops_kernel", "k_smooth", "preset", "libtorch_kernel"})
        EXPECT_FALSE(document["rows"][1].contains(field)) << field;
    EXPECT_FALSE(document["peak_gflops"].contains("bf16"));
    EXPECT_FALSE(document.contains("gpu"));
    report.peaks = {};
    document = asJson(report);
    EXPECT_FALSE(document.contains("peak_gbytes_per_s"));
    for (const char* field : {"peak_share", "roof_share", "bound"})
        EXPECT_FALSE(document["rows"][1].contains(field)) << field;
}

TEST(AttentionJson, ASparseKernelsFiguresAreSaidToBeDenseEquivalent) {
    AttentionReport report = twoRows();
    report.cases[0].rows[1].dense = false;
    const nlohmann::json row = asJson(report)["rows"][1];
    EXPECT_FALSE(row.contains("peak_share"));
    EXPECT_FALSE(row.contains("roof_share"));
    EXPECT_EQ(row["flop_is_dense_equivalent"], true);
}

TEST(AttentionJson, SaysWhichCallWasCaptured) {
    AttentionReport report = twoRows();
    report.cases[0].wanted.captured = {.file = "a/b.pt", .inputIndex = 1, .callIndex = 37, .layer = 5};
    const nlohmann::json document = asJson(report);
    EXPECT_EQ(document["inputs"], "captured");
    EXPECT_FALSE(document.contains("seed"));
    const auto& row = document["rows"][0];
    EXPECT_EQ(row["file"], "a/b.pt");
    EXPECT_EQ(row["input_idx"], 1);
    EXPECT_EQ(row["call_idx"], 37);
    EXPECT_EQ(row["layer"], 5);
    EXPECT_FALSE(row.contains("step"));
}

TEST(AttentionJson, NamesAGpuAndItsVersions) {
    AttentionReport report = twoRows();
    report.device = "cuda:0";
    report.gpuName = "NVIDIA H200";
    report.versions["cudnn"] = "9.19.0";
    const nlohmann::json document = asJson(report);
    EXPECT_EQ(document["device"], "cuda:0");
    EXPECT_EQ(document["gpu"], "NVIDIA H200");
    EXPECT_EQ(document["clock"], "cuda_events");
    EXPECT_EQ(document["versions"]["cudnn"], "9.19.0");
}

}  // namespace
}  // namespace reelgrid::benchmark
