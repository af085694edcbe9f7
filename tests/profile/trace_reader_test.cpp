#include "core/profile/trace_reader.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/pending_file.h"
#include "core/profile/gzip_file.h"
#include "tests/profile/trace_file.h"

namespace reelgrid::profile {
namespace {

using nlohmann::json;
using testing::HasSubstr;

double micro(std::int64_t nanoseconds) {
    return static_cast<double>(nanoseconds) * 1e-3;
}

class TraceReader : public TraceFileTest {
  protected:
    [[nodiscard]] std::string problemOf(const std::string& content, const TraceLimits& limits = {}) const {
        const auto trace = readTrace(file("given.json", content), limits);
        return trace ? "" : trace.error().message;
    }
    [[nodiscard]] std::filesystem::path packed(const std::string& content) const {
        gzipFile(file("plain.json", content), m_folder / "packed.json.gz").value();
        return m_folder / "packed.json.gz";
    }
};

const std::string kSmall =
    R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":1.5,"dur":2.25,"pid":1,"tid":2}]})";

TEST_F(TraceReader, TakesPlainAndPackedTracesAndTheListAlone) {
    const std::string list = kSmall.substr(15, kSmall.size() - 16);
    for (const auto& path : {file("plain.json", kSmall), packed(kSmall), file("list.json", list)}) {
        const auto trace = readTrace(path);
        ASSERT_TRUE(trace) << trace.error().message;
        ASSERT_EQ(trace->events.size(), 1U);
        EXPECT_EQ(trace->events[0].start, 1500);
        EXPECT_EQ(trace->events[0].duration, 2250);
        EXPECT_EQ(trace->names[trace->events[0].name], "aten::mm");
    }
}

TEST_F(TraceReader, TakesAFileInManyBlocks) {
    json events = json::array();
    for (int i = 0; i < 20000; ++i) events.push_back(op("aten::op" + std::to_string(i), i, 0.5));
    const auto trace = readTrace(packed(json{{"traceEvents", events}}.dump()));
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->events.size(), 20000U);
    EXPECT_EQ(trace->names.size(), 20000U);
}

TEST_F(TraceReader, KeepsTheSizesOfInputs) {
    const json events{op("a", 0, 1, {{"Input Dims", {{1, 12, 64}, json::array(), {7}}}}),
                      op("b", 2, 1, {{"Input Dims", json::array()}, {"Input Strides", {{1}}}})};
    const auto trace = readTrace(file("a.json", json{{"traceEvents", events}}.dump()));
    EXPECT_EQ(trace->shapes[trace->events[0].shape], "[1,12,64][7]");
    EXPECT_EQ(trace->events[1].shape, Names::kNone);
}

TEST_F(TraceReader, SaysWhatAFileOfSomethingElseLacks) {
    const std::string wanted = "a Chrome trace of torch's profiler (.json or .json.gz) was needed";
    for (const auto& [content, says] : {
             std::pair<std::string, std::string>{"", "the file is empty"},
             {std::string("\n\x9a\x01\x08\x05", 5), "not JSON, perhaps Perfetto's own protobuf"},
             {"PK\x03\x04", "a zip archive"},
             {"name,calls", "not JSON"},
             {"{\"a\": 1}", "it has no traceEvents"},
             {"[]", "no event in it takes time"},
             {R"([{"ph":"B","cat":"cpu_op","name":"a","ts":1},{"ph":"E","ts":2}])",
              "each of its 1 events has no name, a time that can't be, or its begin and end in two events"},
             {R"([{"ph":"X","cat":"cpu_op","name":"a","ts":1e17,"dur":1},
                 {"ph":"X","cat":"kernel","name":"b","ts":"1","dur":1},
                 {"ph":"X","cat":"Trace","name":"PyTorch Profiler","ts":1,"dur":2}])",
              "each of torch's 2 events in it has no name, a time that can't be, or its begin and end"},
             {R"({"traceEvents":[{"ph":"X","cat":"devtools.timeline","name":"RunTask","ts":1,"dur":2},
                 {"ph":"X","cat":"v8","name":"V8.GC","ts":1,"dur":2},{"ph":"X","name":"x","ts":1,"dur":2}]})",
              "none of its events is torch's (cpu_op, user_annotation, kernel); their categories: none, "
              "devtools.timeline, v8"},
         }) {
        const std::string problem = problemOf(content);
        EXPECT_THAT(problem, HasSubstr("given.json: " + says));
        EXPECT_THAT(problem, HasSubstr(wanted));
        EXPECT_THAT(problem, testing::Not(HasSubstr("\n")));
    }
    EXPECT_EQ(readTrace(m_folder / "nowhere.json").error().code, ErrorCode::NotFound);
    EXPECT_THAT(readTrace(m_folder).error().message, HasSubstr("not a regular file"));
}

TEST_F(TraceReader, RefusesWhatIsCutShortOrDamaged) {
    EXPECT_THAT(problemOf(kSmall.substr(0, kSmall.size() - 2)), HasSubstr("cut short, at byte"));
    EXPECT_THAT(problemOf(R"({"traceEvents":[{"ph":"X","ts":1e999}]})"),
                HasSubstr("a number that is too large at byte"));
    json events = json::array();
    for (int i = 0; i < 5000; ++i) events.push_back(op("aten::op" + std::to_string(i * 7919 % 5000), i, 0.5));
    std::string bytes = readFile(packed(json{{"traceEvents", events}}.dump())).value();
    for (const std::size_t size : {bytes.size() / 2, bytes.size() - 9, bytes.size() - 1})
        EXPECT_THAT(problemOf(bytes.substr(0, size)), HasSubstr("cut short")) << size;
    // Of the checksum that a gzip file ends with.
    bytes[bytes.size() - 6] = static_cast<char>(~bytes[bytes.size() - 6]);
    EXPECT_THAT(problemOf(bytes), HasSubstr("given.json: the gzip file is damaged (incorrect data check)"));
    bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
    EXPECT_NE(problemOf(bytes), "");
}

TEST_F(TraceReader, LeavesOutEventsWithImpossibleTimes) {
    const std::string rest = R"("cat":"cpu_op","name":"a","pid":1,"tid":1)";
    std::string list;
    for (const char* times :
         {R"("ts":1e308,"dur":1)", R"("ts":1,"dur":1e18)", R"("ts":1,"dur":-1)", R"("ts":-9e300,"dur":1)",
          R"("ts":18446744073709551615,"dur":18446744073709551615)", R"("ts":"1","dur":1)", R"("dur":1)",
          R"("ts":1)"})
        list += "{\"ph\":\"X\"," + rest + "," + times + "},";
    // Each possible by itself, but their sum is not.
    for (int i = 0; i < 8; ++i) list += "{\"ph\":\"X\"," + rest + R"(,"ts":1e15,"dur":2e15},)";
    list += "{\"ph\":\"X\"," + rest + R"(,"ts":-2e15,"dur":1})";
    auto trace = readTrace(file("huge.json", "{\"traceEvents\":[" + list + "]}"));
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->events.size(), 5U);
    EXPECT_EQ(trace->impossible, 12U);
    const Summary summary = summaryOf(*std::move(trace));
    EXPECT_GT(summary.span, 0);
    EXPECT_GT(summary.host, 0);
}

TEST_F(TraceReader, CountsWhatIsBegunAndEndedByTwoEvents) {
    json begin = op("aten::mm", 0, 0), end = begin;
    begin["ph"] = "B";
    end["ph"] = "E";
    const auto trace = readTrace(file("a.json", json{begin, end, op("aten::add", 600, 100)}.dump()));
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->events.size(), 1U);
    EXPECT_EQ(trace->impossible, 1U);
    ASSERT_EQ(trace->leftOut.size(), 1U);
    EXPECT_EQ(trace->names[trace->leftOut.begin()->first.first], "aten::mm");
}

TEST_F(TraceReader, RefusesTimesInAnotherUnit) {
    const auto said = [&](const json& events) { return problemOf(events.dump()); };
    EXPECT_THAT(said({op("aten::mm", 0, 1e-6), op("aten::add", 1e-6, 5e-7), range("denoise", 0, 2)}),
                HasSubstr("given.json: 2 of 3 events take less than 20 ns (aten::mm: dur 1e-06): times in "
                          "microseconds were needed"));
    EXPECT_EQ(said({op("aten::mm", 0, 0), op("aten::add", 1, 0.001), op("aten::add", 2, 3)}), "")
        << "a few may be as short";
}

TEST_F(TraceReader, KeepsNamesInOneLine) {
    const auto trace = readTrace(file("a.json", json{op("aten::mm\nx", 0, 1)}.dump()));
    EXPECT_EQ(trace->names[trace->events[0].name], "aten::mm x");
}

TEST_F(TraceReader, HoldsNoMoreThanItsLimits) {
    json events = json::array();
    for (int i = 0; i < 11; ++i) events.push_back(op("a", i, 0.5));
    const std::string text = json{{"traceEvents", events}}.dump();
    EXPECT_THAT(problemOf(text, {.events = 10}), HasSubstr("more than 10 events"));
    EXPECT_EQ(problemOf(text, {.events = 11}), "");

    const TraceLimits small{.text = {.bytes = std::uint64_t{1} << 20, .wordBytes = 1000}};
    const std::string spaces(std::size_t{2} << 20, ' ');
    const auto bomb = readTrace(packed("{" + spaces + "}"), small);
    ASSERT_FALSE(bomb);
    EXPECT_THAT(bomb.error().message, HasSubstr("unpacks to more than 1 MiB"));
    for (const std::string& word : {"\"" + std::string(2000, 'x') + "\"", std::string(2000, '1')})
        EXPECT_THAT(problemOf("[" + word + "]", small),
                    HasSubstr("a text or number of more than 1000 bytes"));
    EXPECT_THAT(problemOf("{\"traceEvents\":" + std::string(100000, '[')), HasSubstr("nested more than 64"));
}

TEST_F(TraceReader, EndsEarlyWhereAPackedFileGrowsAsNoTraceDoes) {
    const auto problem = [&](const std::string& content, const TraceLimits& limits = {}) {
        const auto trace = readTrace(packed(content), limits);
        return trace ? "" : trace.error().message;
    };
    EXPECT_THAT(problem("{" + std::string(std::size_t{2} << 20, ' ') + "}"),
                HasSubstr("has more than 1048576 bytes of white space on end"));
    EXPECT_EQ(problem("{" + std::string(1000, '\n') + kSmall.substr(1)), "");
    std::string events = "{\"traceEvents\":[{}";
    for (int i = 0; i < 1'000'000; ++i) events += ",{}";
    TraceLimits limits;
    limits.text.grownBytes = std::uint64_t{1} << 20;
    EXPECT_THAT(problem(events + "]}", limits), HasSubstr("unpacks to more than 100 times its"));
}

/// A trace of Python torch, and the table that it made of the same events.
class PythonTorch : public testing::TestWithParam<const char*> {};

TEST_P(PythonTorch, HasTheSameTable) {
    const std::filesystem::path fixtures =
        std::filesystem::path(REELGRID_SOURCE_DIR) / "tests/fixtures/profile";
    const std::string name = std::string("python_torch_") + GetParam();
    auto trace = readTrace(fixtures / (name + ".json.gz"));
    ASSERT_TRUE(trace) << trace.error().message;
    const Summary summary = summaryOf(*std::move(trace));
    const json table = json::parse(readFile(fixtures / (name + ".json")).value());
    ASSERT_GT(table.size(), 20U);
    for (const auto& [key, expected] : table.items()) {
        // Its rows of ranges are the ranges' shadows on the device.
        if (summary.hasDevice() && (key == "ProfilerStep*" || key == "feed-forward")) continue;
        const bool isStep = key == "ProfilerStep*";
        Row sum;
        for (const Row& row : summary.rows)
            if (row.name == key || (isStep && row.name.starts_with("ProfilerStep#"))) {
                sum.calls += row.calls;
                sum.selfHost += row.selfHost;
                sum.totalHost += row.totalHost;
                sum.selfDevice += row.selfDevice;
                sum.totalDevice += row.totalDevice;
            }
        constexpr double kRounding = 0.1;
        EXPECT_EQ(sum.calls, expected["calls"]) << key;
        EXPECT_NEAR(micro(sum.selfHost), expected["self_us"], kRounding) << key;
        // It calls itself, and that table counts both; there, what follows the last step is its end's, too.
        if (key == "aten::abs" || key == "cudaDeviceSynchronize") continue;
        EXPECT_NEAR(micro(sum.totalHost), expected["total_us"], kRounding) << key;
        EXPECT_NEAR(micro(sum.selfDevice), expected["self_device_us"], kRounding) << key;
        EXPECT_NEAR(micro(sum.totalDevice), expected["device_us"], kRounding) << key;
    }
    EXPECT_EQ(summary.placesOf(PlaceKind::Step).size(), 2U);
    const auto attention = std::ranges::find(summary.rows, "aten::scaled_dot_product_attention", &Row::name);
    ASSERT_NE(attention, summary.rows.end());
    EXPECT_EQ(attention->shapes[0].first, "[1,4,16,16][1,4,16,16][1,4,16,16]");
    EXPECT_GT(summary.timeOf(summary.of(Group::Convolutions)), 0);
    EXPECT_EQ(summary.hasDevice(), GetParam() == std::string("cuda"));
}

INSTANTIATE_TEST_SUITE_P(On, PythonTorch, testing::Values("cpu", "cuda"));

}  // namespace
}  // namespace reelgrid::profile
