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

TEST_F(TraceComparisonTest, ComparesDevicesByTheirKernels) {
    json slow = json::array({op("aten::mm", 0, 5)}), fast = slow;
    for (const json& each : launched("gemm_a", 1, 10, 100, 1)) slow.push_back(each);
    for (const json& each : launched("gemm_b", 1, 10, 60, 1)) fast.push_back(each);
    const TraceComparison comparison = compared(summaryOfEvents(slow), summaryOfEvents(fast));
    EXPECT_TRUE(comparison.ofDevices);
    ASSERT_EQ(comparison.names.size(), 2U) << "the operator's share is its kernels'";
    EXPECT_EQ(comparison.names[0].name, "gemm_a");
    EXPECT_EQ(micro(comparison.difference(comparison.groups[0])), -40);
}

}  // namespace
}  // namespace reelgrid::profile
