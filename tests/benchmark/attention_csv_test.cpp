#include "core/benchmark/attention_csv.h"

#include <gmock/gmock.h>

#include <map>
#include <sstream>

#include "tests/benchmark/two_rows.h"

namespace reelgrid::benchmark {
namespace {

using testing::StartsWith;

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    if (text.ends_with(separator)) parts.emplace_back();
    return parts;
}

std::map<std::string, std::string> row(const std::string& csv, std::size_t index) {
    const auto lines = split(csv, '\n');
    const auto heads = split(lines.at(0), ','), cells = split(lines.at(index + 1), ',');
    EXPECT_EQ(heads.size(), cells.size());
    std::map<std::string, std::string> byHead;
    for (std::size_t i = 0; i < std::min(heads.size(), cells.size()); ++i) byHead[heads[i]] = cells[i];
    return byHead;
}

TEST(AttentionCsv, BeginsWithTheColumnsOfTheReferenceTool) {
    EXPECT_THAT(asCsv(twoRows()),
                StartsWith("INPUT_IDX,CALL_IDX,BATCH,HQ,HK,N_CTX_Q,N_CTX_K,D_HEAD,D_HEAD_V,kernel,"));
}

TEST(AttentionCsv, HasALineAKernel) {
    AttentionReport report = twoRows();
    report.cases[0].wanted.shape = *parseShape("2,8/2,100,64,30");
    report.cases[0].rows[1].variation = 0.25;
    const std::string csv = asCsv(report);
    EXPECT_EQ(split(csv, '\n').size(), 4U) << csv;  // heads, two rows, the end of the last
    auto cells = row(csv, 1);
    EXPECT_EQ(cells["BATCH"] + " " + cells["HQ"] + " " + cells["HK"], "2 8 2");
    EXPECT_EQ(cells["N_CTX_Q"] + " " + cells["N_CTX_K"] + " " + cells["D_HEAD"], "100 30 64");
    EXPECT_EQ(cells["kernel"], "fav2");
    EXPECT_EQ(cells["time(ms)"], "0.5");
    EXPECT_EQ(cells["time_p95(ms)"], "1");
    EXPECT_EQ(cells["time_cv"], "0.25");
    EXPECT_EQ(cells["x_sdpa"], "2");
    // 4·B·Hq·Nq·Nk·D operations in half a millisecond.
    EXPECT_DOUBLE_EQ(std::stod(cells["throughput(TFLOPS)"]), 4.0 * 2 * 8 * 100 * 30 * 64 / 0.5e-3 / 1e12);
    const double bytes = 2 * (2.0 * 2 * 8 * 100 * 64 + 2.0 * 2 * 2 * 30 * 64);
    EXPECT_NEAR(std::stod(cells["bandwidth(GB/s)"]), bytes / 0.5e-3 / 1e9, 1e-8);
    EXPECT_NEAR(std::stod(cells["arithmetic_intensity(FLOP/byte)"]), 4.0 * 2 * 8 * 100 * 30 * 64 / bytes,
                1e-6);
}

TEST(AttentionCsv, LeavesACellEmptyWhereNothingWasMeasured) {
    auto cells = row(asCsv(twoRows()), 1);
    for (const char* head : {"INPUT_IDX", "CALL_IDX", "kernel_time(ms)", "time_cv", "k_smooth", "why"})
        EXPECT_EQ(cells.at(head), "") << head;
    EXPECT_EQ(row(asCsv(twoRows()), 0).at("kernel_time(ms)"), "1");
}

TEST(AttentionCsv, NumbersCapturedCalls) {
    AttentionReport report = twoRows();
    report.cases[0].wanted.captured = {.file = "a/fav2_input_000037.pt", .inputIndex = 3, .callIndex = 37};
    auto cells = row(asCsv(report), 0);
    EXPECT_EQ(cells["INPUT_IDX"] + " " + cells["CALL_IDX"], "3 37");
}

TEST(AttentionCsv, QuotesWhatHoldsACommaOrAQuote) {
    AttentionReport report = twoRows();
    report.cases[0].rows[1].why = "fav2: head dim 300, \"too wide\"";
    EXPECT_THAT(asCsv(report), testing::HasSubstr(",\"fav2: head dim 300, \"\"too wide\"\"\"\n"));
}

}  // namespace
}  // namespace reelgrid::benchmark
