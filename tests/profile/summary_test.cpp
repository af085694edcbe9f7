#include "core/profile/summary.h"

#include <gmock/gmock.h>

#include <map>
#include "core/profile/rank_traces.h"

#include "core/profile/row_order.h"
#include "core/profile/summary_json.h"
#include "core/profile/summary_table.h"
#include "tests/profile/trace_file.h"

namespace reelgrid::profile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class SummaryTest : public TraceFileTest {
  protected:
    /// A step with a product that copies, an attention that multiplies, and a norm; listed in no order.
    [[nodiscard]] static json step() {
        return {op("aten::bmm", 170, 60),
                range("self-attention sdpa", 150, 200),
                op("aten::copy_", 20, 20),
                range("norms", 360, 20),
                range("layer 0", 0, 400),
                op("aten::addmm", 10, 100),
                op("aten::scaled_dot_product_attention", 160, 180),
                range("step 3", 0, 600),
                range("denoise", 0, 1000)};
    }
    static double host(const Summary& summary, Group group) { return micro(summary.of(group).host); }
};

TEST_F(SummaryTest, SelfTimesLeaveOutWhatLiesWithin) {
    const Summary summary = summaryOfEvents(step());
    struct Expected {
        const char* name;
        double self, total;
    };
    for (const Expected& expected :
         {Expected{"denoise", 400, 1000}, Expected{"step 3", 200, 600}, Expected{"layer 0", 80, 400},
          Expected{"aten::addmm", 80, 100}, Expected{"aten::copy_", 20, 20},
          Expected{"self-attention sdpa", 20, 200}, Expected{"aten::scaled_dot_product_attention", 120, 180},
          Expected{"aten::bmm", 60, 60}, Expected{"norms", 20, 20}}) {
        const Row row = rowOf(summary, expected.name);
        EXPECT_EQ(micro(row.selfHost), expected.self) << expected.name;
        EXPECT_EQ(micro(row.totalHost), expected.total) << expected.name;
        EXPECT_EQ(row.calls, 1U);
    }
    EXPECT_EQ(micro(summary.host), 1000);
    EXPECT_EQ(micro(summary.span), 1000);
}

TEST_F(SummaryTest, GroupsAddUpToTheWhole) {
    const Summary summary = summaryOfEvents(step());
    EXPECT_EQ(host(summary, Group::Attention), 200) << "with the product within";
    EXPECT_EQ(host(summary, Group::Products), 80);
    EXPECT_EQ(host(summary, Group::Copies), 20);
    EXPECT_EQ(host(summary, Group::Norms), 20);
    EXPECT_EQ(host(summary, Group::Other), 400 + 200 + 80) << "stage, step and layer by themselves";
    const auto layers = summary.placesOf(PlaceKind::Layer);
    ASSERT_EQ(layers.size(), 1U);
    EXPECT_EQ(micro(layers[0]->host), 400);
    EXPECT_EQ(micro(layers[0]->groups[std::size_t(Group::Attention)].host), 200);
    EXPECT_EQ(micro(layers[0]->groups[std::size_t(Group::Other)].host), 80);
    EXPECT_EQ(micro(summary.placesOf(PlaceKind::Step).at(0)->groups[std::size_t(Group::Other)].host), 280);
}

TEST_F(SummaryTest, ARecursionCountsOnceInTotal) {
    const Summary summary =
        summaryOfEvents({op("aten::to", 0, 100), op("aten::to", 10, 80), op("aten::to", 200, 10)});
    EXPECT_EQ(micro(rowOf(summary, "aten::to").totalHost), 110);
    EXPECT_EQ(micro(rowOf(summary, "aten::to").selfHost), 110);
    EXPECT_EQ(rowOf(summary, "aten::to").calls, 3U);
}

TEST_F(SummaryTest, ThreadsNestEachByThemselves) {
    const Summary summary = summaryOfEvents(
        {op("a", 0, 100), event("cpu_op", "b", 10, 50, json::object(), /*thread=*/2), op("c", 20, 10)});
    EXPECT_EQ(micro(rowOf(summary, "a").selfHost), 90);
    EXPECT_EQ(micro(rowOf(summary, "b").selfHost), 50);
    EXPECT_EQ(micro(summary.host), 150);
    EXPECT_EQ(micro(summary.span), 100);
}

TEST_F(SummaryTest, AnEventThatEndsAfterWhatItIsInIsCutThere) {
    const Summary summary = summaryOfEvents({op("a", 0, 100), op("b", 40, 60.001), op("c", 40.5, 70)});
    EXPECT_EQ(micro(rowOf(summary, "a").selfHost), 40);
    EXPECT_EQ(micro(rowOf(summary, "b").selfHost), 0.5);
    EXPECT_EQ(micro(rowOf(summary, "c").selfHost), 59.5);
    EXPECT_EQ(micro(summary.host), 100);
}

TEST_F(SummaryTest, ADevicesTimeBelongsToTheOperatorThatLaunchedIt) {
    json events{range("step 0", 0, 100), op("aten::linear", 0, 20, {{"Input Dims", {{16, 64}, {64, 64}}}}),
                op("aten::addmm", 2, 16, {{"Input Dims", {{64}, {16, 64}, {64, 64}}}}),
                range("self-attention sdpa", 30, 20)};
    for (const auto& part : {launched("nvjet_tst", 5, 10, 40, 7), launched("fused_kernel", 35, 60, 30, 8)})
        for (const json& each : part) events.push_back(each);
    const Summary summary = summaryOfEvents(events);
    ASSERT_TRUE(summary.hasDevice());
    EXPECT_EQ(micro(summary.device), 70);
    EXPECT_EQ(micro(rowOf(summary, "aten::addmm").selfDevice), 40);
    EXPECT_EQ(micro(rowOf(summary, "aten::linear").selfDevice), 0);
    EXPECT_EQ(micro(rowOf(summary, "aten::linear").totalDevice), 40);
    EXPECT_EQ(micro(rowOf(summary, "step 0").totalDevice), 70);
    EXPECT_EQ(micro(rowOf(summary, "nvjet_tst").selfDevice), 40);
    EXPECT_TRUE(rowOf(summary, "nvjet_tst").onDevice);
    EXPECT_EQ(micro(summary.of(Group::Attention).device), 30)
        << "a name that tells nothing, inside the range";
    EXPECT_EQ(micro(summary.of(Group::Products).device), 40);
    EXPECT_EQ(micro(rowOf(summary, "aten::addmm").shapes.at(0).second.device), 40);
    EXPECT_EQ(micro(summary.deviceSpan), 80) << "from 10 to 90";
    EXPECT_EQ(micro(summary.deviceBusy), 70);
}

TEST_F(SummaryTest, AGraphsKernelsBelongToItsLaunch) {
    json events{range("step 1", 0, 100),
                event("cuda_runtime", "cudaGraphLaunch", 5, 3, {{"correlation", 9}})};
    for (int i = 0; i < 3; ++i)
        events.push_back(event("kernel", "k" + std::to_string(i), 10 + 5 * i, 5, {{"correlation", 9}}, 7));
    events.push_back(event("kernel", "lone", 40, 5, {{"correlation", 77}}, 7));
    const Summary summary = summaryOfEvents(events);
    EXPECT_EQ(micro(rowOf(summary, "step 1").totalDevice), 15);
    EXPECT_EQ(micro(summary.device), 20) << "with the one that nobody is known to have launched";
}

TEST_F(SummaryTest, StreamsAtOnceKeepADeviceBusyOnce) {
    const Summary summary = summaryOfEvents({event("kernel", "a", 0, 10, json::object(), 7),
                                             event("kernel", "b", 5, 10, json::object(), 8),
                                             event("gpu_memcpy", "Memcpy DtoH", 30, 10, json::object(), 8)});
    EXPECT_EQ(micro(summary.device), 30);
    EXPECT_EQ(micro(summary.deviceBusy), 25);
    EXPECT_EQ(micro(summary.deviceSpan), 40);
    EXPECT_EQ(micro(summary.of(Group::Copies).device), 10);
}

TEST_F(SummaryTest, IsPrintedAsTablesAndJson) {
    const Summary summary = summaryOfEvents(step());
    const std::string text = tablesOf(summary, 4);
    EXPECT_THAT(text, HasSubstr("9 events in 1.000ms; CPU 1.000ms"));
    EXPECT_THAT(text, testing::ContainsRegex("attention +200.000us +20.0 %"));
    EXPECT_THAT(text, testing::ContainsRegex("step 3 +600.000us +1 +other 46.7 %, attention 33.3 %"));
    EXPECT_THAT(text, HasSubstr("and 5 more names (--top)"));
    EXPECT_THAT(text,
                testing::ContainsRegex("name +self CPU % +self CPU +CPU total % +CPU total +CPU avg +calls"));
    EXPECT_THAT(text, HasSubstr("self CPU time total: 1.000ms"));
    EXPECT_THAT(text, testing::Not(HasSubstr("device"))) << "there was none";
    const json object = toJson(summary, 1000);
    EXPECT_EQ(object["names"].size(), 9U);
    EXPECT_NEAR(object["groups"]["attention"]["self_cpu"].get<double>(), 200e-6, 1e-12);
    EXPECT_FALSE(object.contains("device"));
    EXPECT_EQ(object["steps"][0]["name"], "step 3");
}

TEST_F(SummaryTest, TracesOfRanksAreOne) {
    // Two ranks: one waits 100 µs of 1000 in two ranges, the other 300 of 500, 200 of them with a busy
    // device.
    const json first = {range("denoise", 5000, 1000), range("communication", 5100, 60),
                        range("communication", 5800, 40)};
    json second = {range("denoise", 90, 500), range("communication", 100, 300)};
    for (const json& one : launched("gemm", 95, 200, 300, 4)) second.push_back(one);
    (void)file("trace_rank0.json", json{{"traceEvents", first}}.dump());
    (void)file("trace_rank1.json", json{{"traceEvents", second}}.dump());
    const auto files = rankTracesIn(m_folder);
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_EQ(files->size(), 2U);
    Trace all;
    std::vector<RankCommunication> ranks;
    for (const auto& [rank, path] : *files) {
        const auto trace = readTrace(path);
        ASSERT_TRUE(trace);
        ranks.push_back(communicationOf(*trace, rank));
        addRank(*trace, rank, all);
    }
    EXPECT_EQ(micro(ranks[0].waited), 100);
    EXPECT_EQ(ranks[0].calls, 2U);
    EXPECT_EQ(micro(ranks[0].span), 1000);
    EXPECT_EQ(micro(ranks[1].waited), 300);
    EXPECT_EQ(micro(ranks[1].overlapped), 200);
    EXPECT_THAT(communicationTable(ranks), HasSubstr("10.0 %"));
    const Summary summary = summaryOf(std::move(all));
    EXPECT_EQ(micro(summary.span), 1000) << "each from its own beginning";
    EXPECT_EQ(micro(rowOf(summary, "denoise").totalHost), 1500);
    EXPECT_EQ(micro(rowOf(summary, "communication").totalHost), 400);
    EXPECT_EQ(micro(rowOf(summary, "gemm").selfDevice), 300);

    std::filesystem::remove(m_folder / "trace_rank0.json");
    const auto incomplete = rankTracesIn(m_folder);
    ASSERT_FALSE(incomplete);
    EXPECT_THAT(incomplete.error().message, HasSubstr("rank 1, but not of rank 0"));
}

TEST_F(SummaryTest, DevicesAreBusyEachByItself) {
    json events = json::array({op("aten::mm", 0, 5)});
    for (const auto& [device, start, duration] :
         {std::tuple(0, 0, 10), std::tuple(0, 90, 10), std::tuple(1, 10, 80)}) {
        json kernel = event("kernel", "gemm", start, duration, json::object(), 7);
        kernel["pid"] = device;
        events.push_back(kernel);
    }
    const Summary summary = summaryOfEvents(events);
    EXPECT_EQ(micro(summary.deviceBusy), 100);
    EXPECT_EQ(micro(summary.deviceSpan), 180) << "100 of one, 80 of the other";
}

TEST_F(SummaryTest, SaysWhatIsCutAtTheEndOfWhatItIsIn) {
    const Summary summary = summaryOfEvents({range("denoise", 0, 1000), op("aten::mm", 10, 5000)});
    EXPECT_EQ(summary.cutShort, 1U);
    EXPECT_EQ(micro(summary.cutOff), 4010);
    EXPECT_THAT(tablesOf(summary, 20),
                HasSubstr("; 1 event cut where what it is in ends, by 4.010ms in all\n"));
    EXPECT_EQ(toJson(summary, 20)["cut_short"], 1);
    const Summary rounded = summaryOfEvents({range("denoise", 0, 1000), op("aten::mm", 500, 501)});
    EXPECT_EQ(rounded.cutShort, 0U);
}

TEST_F(SummaryTest, HasNoAdviceWhereNothingTakesTime) {
    const std::string text = tablesOf(summaryOfEvents(json::array({op("aten::mm", 0, 0)})), 20);
    EXPECT_THAT(text, HasSubstr("none of its events takes any time"));
    EXPECT_THAT(text, testing::Not(HasSubstr("what to try")));
}

TEST_F(SummaryTest, RowsByStackSayWhereTheyWereCalled) {
    const json here{{"source", "core/models/wan/transformer.cpp(118): runBlocks"}};
    json norms = range("norms", 200, 100);
    norms["args"]["source"] = "core/models/wan/block.cpp(48): forward";
    const json events{event("user_annotation", "layer 0", 0, 400, here),
                      event("user_annotation", "layer 1", 500, 100, here),
                      norms,
                      range("step 0", 0, 1000),
                      op("aten::copy_", 10, 30),
                      op("aten::copy_", 510, 40),
                      op("aten::copy_", 210, 50),
                      op("aten::copy_", 700, 60)};
    auto trace = readTrace(file("trace.json", json{{"traceEvents", events}}.dump()));
    Summary summary = summaryOf(*std::move(trace), RowsBy::NameAndStack);
    ASSERT_TRUE(sortRows(summary, "self_cpu_time_total"));
    std::map<std::vector<std::string>, double> copies;
    for (const Row& row : summary.rows)
        if (row.name == "aten::copy_") copies[row.stack] = micro(row.selfHost);
    const std::string layer = here["source"];
    EXPECT_EQ(copies, (std::map<std::vector<std::string>, double>{
                          {{layer, "step"}, 70},
                          {{"core/models/wan/block.cpp(48): forward", layer, "step"}, 50},
                          {{"step"}, 60}}));
    const std::string text = tablesOf(summary, 20);
    EXPECT_THAT(text, testing::ContainsRegex("aten::copy_ .* core/models/wan/block.cpp.48.: forward\n"
                                             " +core/models/wan/transformer.cpp.118.: runBlocks\n +step\n"));
    const json names = toJson(summary, 20)["names"];
    EXPECT_EQ(names[0]["name"], "step 0");
    EXPECT_FALSE(names[0].contains("stack")) << "nothing is around it";
    EXPECT_EQ(names[1]["stack"], json({"step"}));
}

TEST_F(SummaryTest, FunctionsOfPythonAreStacksAndTakeNoTime) {
    const json events{
        event("python_function", "rcm/networks/wan2pt1.py(645): forward", 0, 100),
        event("python_function", "rcm/networks/wan2pt1.py(168): sinusoidal_embedding_1d", 10, 50),
        op("aten::copy_", 20, 30), op("aten::mul", 70, 10)};
    const auto path = file("trace.json", json{{"traceEvents", events}}.dump());
    const Summary plain = summaryOf(*readTrace(path));
    EXPECT_EQ(plain.rows.size(), 2U);
    const Summary summary = summaryOf(*readTrace(path, {}, {}, StackFrames::Kept), RowsBy::NameAndStack);
    EXPECT_EQ(summary.rows.size(), 2U);
    EXPECT_EQ(summary.events, 2U);
    EXPECT_EQ(micro(summary.host), 40);
    EXPECT_THAT(rowOf(summary, "aten::copy_").stack,
                testing::ElementsAre("rcm/networks/wan2pt1.py(168): sinusoidal_embedding_1d",
                                     "rcm/networks/wan2pt1.py(645): forward"));
    EXPECT_EQ(rowOf(summary, "aten::mul").stack.size(), 1U);
}

TEST_F(SummaryTest, RowsAreSortedByTheFigureThatIsAskedFor) {
    std::vector<json> events = launched("kernel", 5, 50, 30, 1);
    events.push_back(op("often", 0, 2));
    events.push_back(op("often", 2, 2));
    events.push_back(op("launches", 4, 10));
    events.push_back(op("long", 100, 40));
    Summary summary = summaryOfEvents(events);
    const auto firstBy = [&](const std::string& key) {
        EXPECT_TRUE(sortRows(summary, key)) << key;
        return summary.rows.front().name;
    };
    EXPECT_EQ(firstBy("self_cpu_time_total"), "long");
    EXPECT_EQ(firstBy("count"), "often");
    EXPECT_EQ(firstBy("cpu_time"), "long");
    EXPECT_EQ(firstBy("self_xpu_time_total"), firstBy("self_device_time_total")) << "as the document says it";
    EXPECT_NE(firstBy("device_time_total"), "long");
    const auto wrong = sortRows(summary, "name");
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, HasSubstr("--sort name: one of self_cpu_time_total, "));
}

}  // namespace
}  // namespace reelgrid::profile
