#include "core/profile/trace_comparison.h"

#include <gmock/gmock.h>

#include "core/profile/summary_json.h"
#include "core/profile/summary_table.h"
#include "tests/profile/trace_file.h"

namespace reelgrid::profile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class TraceComparisonTest : public TraceFileTest {};

TEST_F(TraceComparisonTest, SortsByWhatChangedMost) {
    const Summary before = summaryOfEvents(
        {range("step 0", 0, 200), range("self-attention sdpa", 0, 100), op("aten::mm", 100, 60)});
    const Summary after = summaryOfEvents({range("step 0", 0, 140), range("self-attention fav2", 0, 40),
                                           op("aten::mm", 40, 65), range("step 1", 140, 1)});
    const TraceComparison comparison = compared(before, after);
    EXPECT_EQ(micro(comparison.before), 200);
    EXPECT_EQ(micro(comparison.after), 141);
    EXPECT_EQ(comparison.groups[0].name, "attention");
    EXPECT_EQ(micro(comparison.difference(comparison.groups[0])), -60);
    std::vector<std::string> names;
    for (const Change& change : comparison.names) names.push_back(change.name);
    EXPECT_THAT(names, testing::ElementsAre("self-attention sdpa", "self-attention fav2", "aten::mm",
                                            "step 0", "step 1"));
    EXPECT_EQ(comparison.names[0].after.calls, 0U);

    const std::string text = tablesOf(comparison, 2);
    EXPECT_THAT(text, HasSubstr("CPU time 200.000us before, 141.000us after: -59.000us, 0.705 ×"));
    EXPECT_THAT(text, HasSubstr("1 and 2 steps were recorded: not the same work"));
    EXPECT_THAT(text, testing::ContainsRegex("self-attention sdpa +100.000us +- +-100.000us +1 → 0"));
    EXPECT_THAT(text, testing::Not(HasSubstr("aten::mm")));
    const json object = toJson(comparison, 100);
    EXPECT_FALSE(object["names"][0].contains("after")) << "it did not run";
    EXPECT_EQ(object["of"], "cpu");
}

TEST_F(TraceComparisonTest, ADecodeInOneTraceAloneIsOtherWork) {
    const json steps{range("denoise", 0, 200), range("step 0", 0, 200)};
    json whole = steps;
    whole.push_back(range("decode", 200, 100));
    const json python = json::array({range("ProfilerStep#0", 0, 200)});
    const auto said = [&](const json& before, const json& after) {
        return tablesOf(compared(summaryOfEvents(before), summaryOfEvents(after)), 2);
    };
    EXPECT_THAT(said(steps, whole), HasSubstr("note: the decode was recorded after alone: not the same"));
    EXPECT_THAT(said(whole, steps), HasSubstr("note: the decode was recorded before alone: not the same"));
    EXPECT_THAT(said(whole, whole), testing::Not(HasSubstr("not the same work")));
    EXPECT_THAT(said(python, whole), testing::Not(HasSubstr("not the same work"))) << "it names no stage";
    const json object = toJson(compared(summaryOfEvents(python), summaryOfEvents(whole)), 2);
    EXPECT_EQ(object["decode_after"], true);
    EXPECT_FALSE(object.contains("decode_before"));
}

TEST_F(TraceComparisonTest, ComparesDevicesByTheirKernels) {
    json slow = json::array({op("aten::mm", 0, 5)}), fast = slow;
    for (const json& each : launched("gemm_a", 1, 10, 100, 1)) slow.push_back(each);
    for (const json& each : launched("gemm_b", 1, 10, 60, 1)) fast.push_back(each);
    const TraceComparison comparison = compared(summaryOfEvents(slow), summaryOfEvents(fast));
    EXPECT_TRUE(comparison.ofDevices);
    ASSERT_EQ(comparison.names.size(), 2U) << "the operator's share is its kernels'";
    EXPECT_EQ(comparison.names[0].name, "gemm_a");
    EXPECT_EQ(micro(comparison.difference(comparison.groups[0])), -40);
    EXPECT_THAT(tablesOf(comparison, 20), testing::Not(HasSubstr("note: ")));
}

TEST_F(TraceComparisonTest, ComparesTheThreadsWhereOneTraceHasNoDevice) {
    const json onCpu = json::array({op("aten::mm", 0, 400)});
    json onDevice = json::array({op("aten::mm", 0, 100)});
    for (const json& each : launched("gemm", 20, 100, 300, 7)) onDevice.push_back(each);
    const Summary cpu = summaryOfEvents(onCpu), device = summaryOfEvents(onDevice);
    for (const bool deviceIsAfter : {true, false}) {
        const TraceComparison comparison = deviceIsAfter ? compared(cpu, device) : compared(device, cpu);
        EXPECT_FALSE(comparison.ofDevices);
        EXPECT_EQ(comparison.groups[0].name, "matrix products");
        EXPECT_EQ(micro(comparison.difference(comparison.groups[0])), deviceIsAfter ? -300 : 300);
        const std::string text = tablesOf(comparison, 20);
        EXPECT_THAT(text, HasSubstr("CPU time "));
        EXPECT_THAT(text, HasSubstr(std::string("note: the trace ") + (deviceIsAfter ? "before" : "after") +
                                    " has no time of a device: compared is the CPU's own time of both, "
                                    "without the 300.000us that the other's device took\n"));
        const json object = toJson(comparison, 20);
        EXPECT_EQ(object["of"], "cpu");
        EXPECT_TRUE(object.contains(deviceIsAfter ? "device_after" : "device_before"));
        EXPECT_FALSE(object.contains(deviceIsAfter ? "device_before" : "device_after"));
    }
}

TEST_F(TraceComparisonTest, WhatWasLeftOutIsNotWhatDidNotRun) {
    const json whole{range("denoise", 0, 1000), op("aten::mm", 10, 400), op("aten::add", 500, 200)};
    const json damaged{range("denoise", 0, 1000), op("aten::mm", 10, -400), op("aten::add", 500, 200)};
    const TraceComparison comparison = compared(summaryOfEvents(whole), summaryOfEvents(damaged));
    const std::string text = tablesOf(comparison, 20);
    EXPECT_THAT(text, HasSubstr("note: after: 1 event without name, with impossible times"));
    EXPECT_THAT(text, testing::Not(HasSubstr("note: before")));
    EXPECT_THAT(text, testing::ContainsRegex("aten::mm +400.000us +left out +\\? +1 → 0 \\(1 left out\\)"));
    EXPECT_THAT(text,
                testing::ContainsRegex("matrix products +400.000us +left out +\\? +1 → 0 \\(1 left out\\)"));
    const json object = toJson(comparison, 20);
    EXPECT_EQ(object["left_out_before"], 0);
    EXPECT_EQ(object["left_out_after"], 1);
    for (const json& row : object["names"]) {
        const bool isLeftOut = row["name"] == "aten::mm";
        EXPECT_EQ(row.contains("left_out_after"), isLeftOut) << row;
        EXPECT_EQ(row.contains("difference"), !isLeftOut) << row;
    }
}

}  // namespace
}  // namespace reelgrid::profile
