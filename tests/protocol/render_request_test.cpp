#include "core/protocol/render_request.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/attention_policy_json.h"
#include "core/protocol/worker_message.h"
#include "tests/protocol/random_values.h"

namespace reelgrid::protocol {
namespace {

using nlohmann::json;
using testing::StartsWith;

RenderRequest everyField() {
    RenderRequest request;
    request.model = "/models/wan";
    request.task = "t2v";
    request.prompt = "a \"red\" car\non a beach ✓";
    request.negativePrompt = "";
    request.height = 144;
    request.width = 256;
    request.numFrames = 33;
    request.numInferenceSteps = 20;
    request.guidanceScale = 4.5;
    request.fps = 16;
    request.scheduler = "euler";
    request.flowShift = 3;
    request.seed = 18446744073709551615u;
    request.attentionType = "sagev1";
    request.attentionPolicy.rules = {
        {.backend = "fav2", .module = std::nullopt, .layers = IndexRange{0, 3}, .steps = IndexRange{-2, -1}},
        {.backend = "sdpa", .branch = GuidanceBranch::Unconditional}};
    request.dtype = "fp32";
    request.device = "cpu";
    request.numRepetitions = 3;
    request.output = "/tmp/out.mp4";
    request.resume = true;
    return request;
}

TEST(RenderRequest, SurvivesARoundTrip) {
    const json written = toJson(everyField());
    const auto read = renderRequestFromJson(json::parse(written.dump()));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(toJson(*read), written);
    EXPECT_EQ(read->seed, 18446744073709551615u);
    EXPECT_EQ(read->negativePrompt, "");
    EXPECT_TRUE(read->resume);
    EXPECT_EQ(read->attentionPolicy, everyField().attentionPolicy);
}

TEST(RenderRequest, IsOfTextsInUtf8WhichJsonGivesBack) {
    EXPECT_TRUE(requireUtf8(everyField()));
    const auto refused = [](const auto& change) {
        RenderRequest request = everyField();
        change(request);
        const auto checked = requireUtf8(request);
        return checked ? std::string() : checked.error().message;
    };
    EXPECT_EQ(refused([](RenderRequest& request) { request.output = "/y\xff/a.mp4"; }),
              "--output: \"/y\xef\xbf\xbd/a.mp4\": its bytes aren't UTF-8, text in UTF-8 was needed");
    EXPECT_THAT(refused([](RenderRequest& request) { request.model = "\xff"; }), StartsWith("--model: \""));
    EXPECT_THAT(refused([](RenderRequest& request) { request.imgFilePath = "\xff.png"; }),
                StartsWith("--img-file-path: \""));
    EXPECT_THAT(refused([](RenderRequest& request) {
                    request.lora2 = {"a", "\xff"};
                }),
                StartsWith("--lora-2: \""));
    EXPECT_THAT(refused([](RenderRequest& request) { request.inputDir = "\xff"; }),
                StartsWith("--input-dir: \""));
}

TEST(RenderRequest, LeavesOutWhatTheModelDecides) {
    const json written = toJson(RenderRequest{});
    for (const char* key :
         {"height", "width", "num_frames", "dtype", "negative_prompt", "fps", "attention_policy"})
        EXPECT_FALSE(written.contains(key)) << key;
    const auto read = renderRequestFromJson(written);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_FALSE(read->height);
    EXPECT_FALSE(read->negativePrompt);
}

TEST(RenderRequest, TakesNullAsAbsentAndIgnoresUnknownKeys) {
    const auto read = renderRequestFromJson({{"height", nullptr}, {"prompt", "a"}, {"future", {1, 2}}});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_FALSE(read->height);
    EXPECT_EQ(read->prompt, "a");
}

struct BadField {
    const char* text;
    const char* key;
    const char* value;
};

class RejectsField : public testing::TestWithParam<BadField> {};

TEST_P(RejectsField, NamingKeyAndValue) {
    const auto read = renderRequestFromJson(json::parse(GetParam().text));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(read.error().message, testing::HasSubstr(GetParam().key));
    EXPECT_THAT(read.error().message, testing::HasSubstr(GetParam().value));
}

INSTANTIATE_TEST_SUITE_P(
    All, RejectsField,
    testing::Values(BadField{R"({"height": "144"})", "height", "\"144\""},
                    BadField{R"({"height": 0})", "height", "0"},
                    BadField{R"({"width": 256.5})", "width", "256.5"},
                    BadField{R"({"num_frames": 4294967297})", "num_frames", "4294967297"},
                    BadField{R"({"num_inference_steps": -1})", "num_inference_steps",
                             "-1: a whole number of at least 1"},
                    BadField{R"({"num_inference_steps": 1000000000000})", "num_inference_steps",
                             "1000000000000: a whole number of at most 2147483647"},
                    BadField{R"({"guidance_scale": true})", "guidance_scale", "true"},
                    BadField{R"({"fps": 0})", "fps", "0"}, BadField{R"({"seed": -1})", "seed", "-1"},
                    BadField{R"({"seed": 18446744073709551616})", "seed", "1.8446744073709552e+19"},
                    BadField{R"({"prompt": ["a"]})", "prompt", "[\"a\"]"},
                    BadField{R"({"attention_policy": "hybrid.json"})", "attention_policy", "hybrid.json"},
                    BadField{R"({"attention_policy": {"rules": [{"backend": "fav2", "steps": true}]}})",
                             "rule 1: steps", "true"},
                    BadField{R"({"output": "a\u0000b"})", "output", "zero bytes"},
                    BadField{R"([1])", "request", "an object"}));

TEST(RenderRequest, RejectsAPromptBeyondItsBound) {
    const auto read = renderRequestFromJson({{"prompt", std::string(1 << 20, 'a')}});
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, testing::HasSubstr("1048576"));
    EXPECT_LT(read.error().message.size(), 200u);
}

TEST(RenderRequestAtRandom, IsReadAsItWasWritten) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const RenderRequest request = RandomValues(seed).request();
        const std::string written = printJson(toJson(request));
        const auto read = renderRequestFromJson(parseJson(written, "request").value());
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
        ASSERT_EQ(*read, request) << "seed " << seed << ": " << written;
    }
}

TEST(RenderSettingsAtRandom, AreReadAsTheyWereWritten) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        RenderFields<Given> settings;
        RandomValues(seed).fill(settings);
        RenderFields<Given> read;
        const auto done =
            readRenderSettings(parseJson(printJson(fieldsJson(settings)), "settings").value(), read);
        ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message;
        ASSERT_EQ(read, settings) << "seed " << seed;
    }
}

TEST(WorkerCommandsAtRandom, AreReadAsTheyWereWritten) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        RandomValues random(seed);
        const std::string line = toLine(WorkerCommand(RenderCommand{random.text(100), random.request()}));
        EXPECT_EQ(line.find('\n'), std::string::npos);
        ASSERT_LE(line.size(), kMaxLineBytes) << "seed " << seed;
        const auto read = commandFromLine(line);
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
        ASSERT_EQ(toLine(*read), line) << "seed " << seed;
    }
}

TEST(AttentionPolicyAtRandom, IsReadAsItWasWritten) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const AttentionPolicy policy = RandomValues(seed).policy();
        if (policy.empty()) continue;  // which has no file
        const auto read = attentionPolicyFromJson(parseJson(printJson(toJson(policy)), "policy").value());
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
        ASSERT_EQ(*read, policy) << "seed " << seed;
    }
}

}  // namespace
}  // namespace reelgrid::protocol
