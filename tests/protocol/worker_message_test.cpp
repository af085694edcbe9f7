#include "core/protocol/worker_message.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"

namespace reelgrid::protocol {
namespace {

using testing::HasSubstr;

TEST(WorkerCommand, RenderSurvivesARoundTrip) {
    RenderCommand command{"j1", {}};
    command.request.prompt = "line\nfeed";
    command.request.height = 144;
    const std::string line = toLine(WorkerCommand(command));
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto read = commandFromLine(line);
    ASSERT_TRUE(read) << read.error().message;
    const auto& render = std::get<RenderCommand>(*read);
    EXPECT_EQ(render.id, "j1");
    EXPECT_EQ(render.request.prompt, "line\nfeed");
    EXPECT_EQ(render.request.height, 144);
}

TEST(WorkerCommand, CancelAndQuitSurviveARoundTrip) {
    const auto cancel = commandFromLine(toLine(WorkerCommand(CancelCommand{"j7"})));
    ASSERT_TRUE(cancel);
    EXPECT_EQ(std::get<CancelCommand>(*cancel).id, "j7");
    const auto quit = commandFromLine(toLine(WorkerCommand(QuitCommand{})));
    ASSERT_TRUE(quit);
    EXPECT_TRUE(std::holds_alternative<QuitCommand>(*quit));
}

TEST(WorkerCommand, ForecastSurvivesARoundTrip) {
    ForecastCommand command{"f1", {}};
    command.request.numFrames = 81;
    const auto read = commandFromLine(toLine(WorkerCommand(command)));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(std::get<ForecastCommand>(*read).id, "f1");
    EXPECT_EQ(std::get<ForecastCommand>(*read).request.numFrames, 81);
}

TEST(WorkerEvent, AForecastFitsWhereItSaysSoOrNobodyKnows) {
    EXPECT_TRUE((RenderForecast{"cpu", "none", 5, "decode", 5, 0, {}}.fits()));
    EXPECT_FALSE((RenderForecast{"cpu", "none", 6, "decode", 5, 0, {}}.fits()));
    EXPECT_TRUE((RenderForecast{"cpu", "none", {}, "", 5, 0, {}}.fits()));
    EXPECT_TRUE((RenderForecast{"cpu", "none", 6, "decode", {}, 0, {}}.fits()));
    EXPECT_FALSE(
        eventFromLine(R"({"v":1,"type":"forecast","id":"f","device":"cpu","offload":"none","ways":[7]})"));
}

TEST(WorkerEvent, EveryTypeSurvivesARoundTrip) {
    const std::vector<WorkerEvent> events = {
        WorkerReady{"0.1.0"},
        JobStarted{"a"},
        JobProgress{"b", {"denoise", 3, 20, 1.25, 7.5}},
        JobPreview{"b", {3, 20, 2, 1, {0, 1, 2, 253, 254, 255, 7, 8, 9, 10, 11, 12}}},
        JobDone{"c", "/out/clip.mp4"},
        JobFailed{"d", {ErrorCode::OutOfMemory, "too big"}},
        JobCancelled{"e"},
        Forecast{
            "f",
            {"cuda:0", "blocks", 9'000'000'000, "decode", 8'000'000'000, 5'000, {"--vae-tiling on"}, true}},
        Forecast{"g", {"cpu", "none", {}, {}, {}, 0, {}}},
    };
    for (const WorkerEvent& event : events) {
        const auto read = eventFromLine(toLine(event));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->index(), event.index());
        EXPECT_EQ(toLine(*read), toLine(event));
    }
    const auto failed = eventFromLine(toLine(events[5]));
    EXPECT_EQ(std::get<JobFailed>(*failed).error.code, ErrorCode::OutOfMemory);
}

TEST(WorkerEvent, APreviewHasItsPixelsOrIsRefused) {
    const RenderPreview now{3, 20, 2, 1, {0, 1, 2, 253, 254, 255, 7, 8, 9, 10, 11, 12}};
    EXPECT_EQ(now.frames(), 2);
    const auto read = eventFromLine(toLine(WorkerEvent(JobPreview{"b", now})));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(std::get<JobPreview>(*read).now, now);
    const auto lineOf = [](const std::string& fields) {
        return R"({"v":1,"type":"preview","id":"a","step":1,"steps":2,)" + fields + "}";
    };
    for (const char* wrong : {R"("width":2,"height":1,"rgb":"AAEC")", R"("width":0,"height":1,"rgb":"")",
                              R"("width":1,"height":1,"rgb":"A?EC")", R"("width":1,"height":1,"rgb":"AAE")",
                              R"("width":999999,"height":999999,"rgb":"AAEC")",
                              R"("width":1,"height":-1,"rgb":"AAEC")", R"("width":1,"height":1)"})
        EXPECT_FALSE(eventFromLine(lineOf(wrong))) << wrong;
    EXPECT_TRUE(eventFromLine(lineOf(R"("width":1,"height":1,"rgb":"AAEC")")));
}

TEST(WorkerEvent, KeepsAnUnknownEtaUnknown) {
    const auto read = eventFromLine(toLine(WorkerEvent(JobProgress{"b", {"load", 0, 1, 0.1, -1}})));
    ASSERT_TRUE(read);
    EXPECT_LT(std::get<JobProgress>(*read).now.etaSeconds, 0);
}

TEST(WorkerEvent, WritesTextThatIsNotUtf8) {
    const std::string line = toLine(WorkerEvent(JobFailed{"d", {ErrorCode::Io, "bad \xff name"}}));
    EXPECT_TRUE(eventFromLine(line));
}

struct BadLine {
    const char* line;
    const char* says;
};

class RejectsEvent : public testing::TestWithParam<BadLine> {};

TEST_P(RejectsEvent, SayingWhatIsWrong) {
    const auto read = eventFromLine(GetParam().line);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::InvalidData);
    EXPECT_THAT(read.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, RejectsEvent,
    testing::Values(BadLine{"", "not JSON"}, BadLine{"Segmentation fault", "Segmentation fault"},
                    BadLine{R"({"v":1,"type":"ready")", "not JSON"}, BadLine{"[]", "an object"},
                    BadLine{R"({"type":"ready","version":"1"})", "version 0"},
                    BadLine{R"({"v":2,"type":"ready","version":"1"})", "version 2"},
                    BadLine{R"({"v":1})", "type is missing"}, BadLine{R"({"v":1,"type":"dance"})", "dance"},
                    BadLine{R"({"v":1,"type":"started"})", "id is missing"},
                    BadLine{R"({"v":1,"type":"done","id":"a","clip":3})", "clip 3"},
                    BadLine{R"({"v":1,"type":"progress","id":"a","stage":"load","done":-1})", "done -1"},
                    BadLine{R"({"v":1,"type":"failed","id":"a"})", "error is missing"},
                    BadLine{R"({"v":1,"type":"failed","id":"a","error":{"code":"io"}})",
                            "message is missing"}));

TEST(WorkerCommand, RejectsARequestWithAnImpossibleValue) {
    const auto read = commandFromLine(R"({"v":1,"type":"render","id":"a","request":{"height":-3}})");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(read.error().message, HasSubstr("height -3"));
}

TEST(WorkerCommand, RejectsARenderWithoutRequest) {
    EXPECT_FALSE(commandFromLine(R"({"v":1,"type":"render","id":"a"})"));
}

TEST(ParseJson, RejectsDeepNesting) {
    const auto read = parseJson(std::string(100000, '['), "line");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("100000 deep"));
    EXPECT_TRUE(parseJson(R"({"a":"[[[[\"[["})", "line"));
}

TEST(WorkerEvent, RejectsALineBeyondItsBound) {
    const auto read = eventFromLine(std::string(kMaxLineBytes + 1, ' '));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("1048577"));
}

}  // namespace
}  // namespace reelgrid::protocol
