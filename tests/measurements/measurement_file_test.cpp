#include "core/measurements/measurement_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/json.h"

namespace reelgrid::measurements {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

json fixture(const char* name) {
    return readJsonObject(fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/measurements" / name).value();
}

template <class T>
T read(const char* name) {
    const json document = fixture(name);
    EXPECT_TRUE(isMeasurement(document)) << name;
    auto measurement = measurementFrom(document);
    EXPECT_TRUE(measurement) << measurement.error().message;
    return std::get<T>(measurement.value());
}

TEST(Measurements, AKernelBenchmarkIsReadWhole) {
    const auto results = read<KernelResults>("kernels.json");
    EXPECT_EQ(results.device, "cpu");
    EXPECT_FALSE(results.machine.empty());
    EXPECT_GT(results.peakGflops.at("fp32"), 0);
    ASSERT_EQ(results.rows.size(), 8U);  // sdpa and three kernels on two inputs
    const KernelRow& sdpa = results.rows.front();
    EXPECT_EQ(sdpa.kernel, "sdpa");
    EXPECT_EQ(sdpa.repetitions, 9);
    EXPECT_DOUBLE_EQ(sdpa.timesSdpa.value(), 1);
    EXPECT_GE(sdpa.msP95.value(), sdpa.msP50);
    EXPECT_EQ(results.inputNames(),
              (std::vector<std::string>{"1×2×256×64 bf16", "1×2×96×32 over 40 keys bf16"}));
}

TEST(Measurements, AVaeBenchmarkIsReadWhole) {
    const auto results = read<VaeResults>("vae.json");
    EXPECT_EQ(results.model, "demo");
    EXPECT_EQ(results.tilePixels, 32);
    ASSERT_EQ(results.rows.size(), 4U);
    EXPECT_EQ(results.rows[0].configuration, "fp32");
    EXPECT_GT(results.rows[0].decode->secondsP50, 0);
    EXPECT_FALSE(results.rows[0].decodePsnrDb);
    EXPECT_GT(results.rows[2].decodePsnrDb.value(), 0);
}

TEST(Measurements, TracesAreReadWhole) {
    const auto summary = read<TraceSummary>("trace.json");
    EXPECT_FALSE(summary.device);
    EXPECT_GT(summary.selfCpu, 0);
    EXPECT_EQ(summary.names.size(), 30U);
    EXPECT_EQ(summary.steps.size(), 2U);
    EXPECT_FALSE(summary.bottlenecks.empty());
    const auto comparison = read<TraceComparison>("traces.json");
    EXPECT_EQ(comparison.of, "cpu");
    EXPECT_EQ(comparison.stepsBefore, comparison.stepsAfter);
    EXPECT_FALSE(comparison.groups.empty());
}

TEST(Measurements, WhatOfTracesDoesNotCountIsRead) {
    json document = fixture("traces.json");
    document["left_out_after"] = 2;
    document["device_before"] = 0.25;
    document["decode_after"] = true;
    document["names"][0].erase("difference");
    document["names"][0]["left_out_before"] = 3;
    const auto comparison = std::get<TraceComparison>(measurementFrom(document).value());
    EXPECT_EQ(comparison.leftOutAfter, 2);
    EXPECT_EQ(comparison.deviceBefore, 0.25);
    EXPECT_FALSE(comparison.deviceAfter);
    EXPECT_FALSE(comparison.decodeBefore);
    EXPECT_EQ(comparison.decodeAfter, true);
    EXPECT_FALSE(comparison.names[0].difference);
    EXPECT_EQ(comparison.names[0].leftOutBefore, 3);
    document = fixture("trace.json");
    document["left_out"] = 4;
    document["cut_short"] = 5;
    const auto summary = std::get<TraceSummary>(measurementFrom(document).value());
    EXPECT_EQ(summary.leftOut, 4);
    EXPECT_EQ(summary.cutShort, 5);
}

TEST(Measurements, CapturesAreReadWhole) {
    const auto list = read<CaptureList>("captures.json");
    ASSERT_EQ(list.captures.size(), 3U);
    EXPECT_EQ(list.captures[1].q, (std::vector<std::int64_t>{1, 2, 6, 8}));
    EXPECT_EQ(list.captures[1].heads(), 2);
    EXPECT_FALSE(list.captures[1].layer);
    const auto details = read<CaptureDetails>("capture.json");
    EXPECT_EQ(details.map.head, 1);
    EXPECT_EQ(details.map.means.size(), 60U);
    EXPECT_EQ(details.k.channelAbsMax.size(), 8U);
    EXPECT_EQ(details.q.nans, 0);
    EXPECT_FALSE(details.kept);
    const auto kept = read<CaptureDetails>("kept.json").kept;
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->backend, "sparge");
    EXPECT_EQ(kept->kept.size(), 15U);
    EXPECT_TRUE(kept->kept[6]);
    EXPECT_EQ(kept->weights[6], 0.4);
    EXPECT_EQ(kept->queryPlaces[2].inClip->at(2), 5);
    EXPECT_FALSE(kept->keyPlaces[4].inClip);
}

TEST(Measurements, ATuningIsReadWhole) {
    const auto results = read<TuningResults>("tuning.json");
    EXPECT_EQ(results.budget, "psnr>=30");
    EXPECT_EQ(results.renders.front().name, "sdpa");
    EXPECT_FALSE(results.curve.empty());
    for (const TuningRow& row : results.renders) EXPECT_FALSE(row.policy.rules.empty()) << row.name;
}

TEST(Measurements, ErrorMapsAreReadFromMetrics) {
    const auto map = read<metrics::LockstepMap>("metrics.json");
    EXPECT_EQ(map.steps, 2);
    EXPECT_EQ(map.layers, 8);
    EXPECT_EQ(map.backends.size(), 2U);
}

TEST(Measurements, OtherDocumentsAreNone) {
    for (const char* text : {"{}", "[]", "3", R"({"reelgrid_session": 1, "clips": []})", R"({"rules": []})"})
        EXPECT_FALSE(isMeasurement(json::parse(text))) << text;
    EXPECT_THAT(measurementFrom(json::object()).error().message, HasSubstr("not a result of bench"));
}

struct Damage {
    const char* file;
    const char* pointer;
    json value;
    const char* says;
};

TEST(Measurements, ADamagedOneIsRefusedInOneLine) {
    const Damage damages[] = {
        {"kernels.json", "/rows", 3, "rows 3"},
        {"kernels.json", "/rows/0/ms_p50", "fast", "row 1: ms_p50"},
        {"kernels.json", "/rows/0/shape", json::array({1, 2}), "row 1: shape: four sizes"},
        {"kernels.json", "/rows/0/shape/1", -2, "row 1: shape"},
        {"kernels.json", "/rows/1", "row", "row 2: an object was needed"},
        {"kernels.json", "/peak_gflops/fp32", 0, "peak_gflops fp32"},
        {"kernels.json", "/rows/1/ms_p50", -0.5, "row 2: ms_p50 -0.5: a number of at least 0 was needed"},
        {"kernels.json", "/rows/1/x_sdpa", -3, "row 2: x_sdpa -3: a number of at least 0 was needed"},
        {"kernels.json", "/rows/1/cosine", 17, "row 2: cosine 17: a number from -1 to 1 was needed"},
        {"vae.json", "/rows/0/decode/s_p50", -1, "s_p50 -1: a number of at least 0"},
        {"trace.json", "/names/0/self_cpu", -1, "name 1: self_cpu -1: a number of at least 0"},
        {"tuning.json", "/renders/0/measured/seconds", -1, "seconds -1: a number of at least 0"},
        {"vae.json", "/rows/0/decode/s_p50", nullptr, "decode: s_p50"},
        {"trace.json", "/groups/attention", 1, "groups"},
        {"trace.json", "/names/0/calls", "x", "name 1: calls"},
        {"traces.json", "/names/0/name", 7, "name 1: name"},
        {"captures.json", "/captures/0/q_shape", json::array(), "capture 1: shape"},
        {"capture.json", "/attention_map/rows", 100000, "100000 rows, at most 512"},
        {"capture.json", "/attention_map/means/0", json::array({1}), "rows of 10 numbers"},
        {"capture.json", "/tensors/q", json::array(), "q"},
        {"kept.json", "/kept_blocks/rows", 2, "2 rows of 5 blocks"},
        {"kept.json", "/kept_blocks/columns", 0, "columns 0"},
        {"kept.json", "/kept_blocks/kept/1", "01112", "5 times 0 or 1"},
        {"kept.json", "/kept_blocks/kept/1", "0111", "5 times 0 or 1"},
        {"kept.json", "/kept_blocks/weights/2", json::array({1}), "rows of 5 weights"},
        {"kept.json", "/kept_blocks/key_places/0", json::array({1, 2, 3}), "two or eight whole numbers"},
        {"kept.json", "/kept_blocks/query_places", json::array(), "3 places were needed"},
        {"kept.json", "/kept_blocks/options/pvthreshd", 50, "option pvthreshd"},
        {"tuning.json", "/renders/0/policy", json::object(), "render 1"},
        {"metrics.json", "/lockstep/layers", 90000, "lockstep"},
    };
    for (const Damage& damage : damages) {
        json document = fixture(damage.file);
        document[json::json_pointer(damage.pointer)] = damage.value;
        const auto read = measurementFrom(document);
        ASSERT_FALSE(read) << damage.file << damage.pointer;
        EXPECT_EQ(read.error().code, ErrorCode::InvalidData);
        EXPECT_THAT(read.error().message, HasSubstr(damage.says)) << damage.pointer;
        EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace reelgrid::measurements
