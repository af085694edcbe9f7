#include "core/result/manifest.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/result/json_numbers.h"
#include "tests/protocol/random_values.h"

namespace reelgrid::result {
namespace {

using nlohmann::json;
using protocol::ModuleKind;
using testing::HasSubstr;

Manifest rendered() {
    Manifest manifest;
    manifest.request.emplace().prompt = "a red car";
    manifest.request->seed = 7;
    catalog::RenderSettings& settings = manifest.settings.emplace();
    settings.task = "t2v";
    settings.prompt = "a red car";
    settings.negativePrompt = "blurry";
    settings.width = 256;
    settings.height = 144;
    settings.numFrames = 33;
    settings.fps = 16;
    settings.numInferenceSteps = 20;
    settings.guidanceScale = 2.5;
    settings.seed = 18446744073709551615U;
    settings.numRepetitions = 2;
    settings.dtype = "bf16";
    settings.device = "cpu";
    settings.vaeTiling = "on";
    settings.vaeTilePx = 128;
    settings.attentionType = "sagev1";
    settings.attentionPolicy.rules = {{.backend = "sdpa", .steps = protocol::IndexRange{0, 1}}};
    settings.scheduler = "euler";
    settings.flowShift = 3.25;
    manifest.remarks = {"the prompt is cut at 77 tokens"};
    manifest.versions = {{"reelgrid", "0.1.0"}, {"libtorch", "2.11.0"}};
    manifest.device = "cpu";
    manifest.threads = 4;
    manifest.modelId = "demo";
    manifest.modelHashes = {{"transformer", "12ab"}, {"scheduler", "34cd"}};
    manifest.attention = {{ModuleKind::Self, "sagev1", "sdpa", "head dim 512", 320, 2.5},
                          {ModuleKind::Cross, "sdpa", "sdpa", "", 320, std::nullopt}};
    manifest.framesSha256 = "56ef";
    manifest.clipSha256 = "78ab";
    return manifest;
}

TEST(Manifest, SaysWhereComponentsLieThatAreNotInTheModelsFolder) {
    Manifest manifest = rendered();
    EXPECT_FALSE(toJson(manifest)["model"].contains("paths"));
    manifest.modelPaths = {{"vae", "/models/vae/wan_2.1_vae.safetensors"}};
    const json object = toJson(manifest);
    EXPECT_EQ(object["model"]["paths"]["vae"], "/models/vae/wan_2.1_vae.safetensors");
    EXPECT_EQ(manifestFromJson(object)->modelPaths, manifest.modelPaths);
}

TEST(Manifest, HasTheKeysThatOthersRelyOn) {
    const json object = toJson(rendered());
    EXPECT_EQ(object["request"]["prompt"], "a red car");
    EXPECT_EQ(object["settings"]["num_inference_steps"], 20);
    EXPECT_EQ(object["seed"], 18446744073709551615U);
    EXPECT_EQ(object["versions"]["libtorch"], "2.11.0");
    EXPECT_EQ(object["device"], json::parse(R"({"type":"cpu","threads":4})"));
    EXPECT_EQ(object["model"],
              json::parse(R"({"id":"demo","hashes":{"scheduler":"34cd","transformer":"12ab"}})"));
    EXPECT_EQ(object["attention"][0],
              json::parse(R"({"module":"self","requested":"sagev1","used":"sdpa","why":"head dim 512",
                              "calls":320,"seconds":2.5})"));
    EXPECT_FALSE(object["attention"][1].contains("seconds")) << "not measured";
    EXPECT_EQ(object["frames_sha256"], "56ef");
    EXPECT_EQ(object["clip_sha256"], "78ab");
}

TEST(Manifest, SaysWhetherTheSameRequestGivesTheSameBits) {
    Manifest manifest = rendered();
    manifest.plugins = {{"mine", "/a/mine.so", "9", ""}};
    EXPECT_EQ(toJson(manifest)["repeats"], json::parse(R"({"same_bits":true,"why":""})"))
        << "the plug-in was asked for and served no call";
    manifest.attention.push_back({ModuleKind::Self, "mine", "mine", "", 1, std::nullopt});
    EXPECT_EQ(toJson(manifest)["repeats"]["same_bits"], false);
    EXPECT_THAT(toJson(manifest)["repeats"]["why"].get<std::string>(), HasSubstr("mine"));
}

TEST(Manifest, SurvivesARoundTrip) {
    Manifest written = rendered();
    written.instructionSet = "avx512";
    written.stepCache = {0.08, 8, 3, {0, 1, 2, 0}};
    written.resumedAt = {2, 3};
    const auto read = manifestFromJson(toJson(written));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(toJson(*read), toJson(written));
    EXPECT_EQ(read->stepCache->skippedPerStep, written.stepCache->skippedPerStep);
    EXPECT_EQ(read->resumedAt, written.resumedAt);
    EXPECT_EQ(*read->settings, *written.settings);
    EXPECT_EQ(read->attention, written.attention);
    EXPECT_EQ(read->modelHashes, written.modelHashes);
}

TEST(Manifest, OfAnOlderVersionLacksWhatThatDidNotWrite) {
    const auto read = manifestFromJson(
        json::parse(R"({"attention":[{"module":"self","requested":"fav2","used":"fav2"}],"new":1})"));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_FALSE(read->request);
    EXPECT_FALSE(read->settings);
    EXPECT_EQ(read->clipSha256, "");
    EXPECT_EQ(read->usedAttention(), "fav2");
    EXPECT_EQ(read->attentionName(), "");
}

TEST(Manifest, NamesWhatIsWrong) {
    const auto messageOf = [](const char* text) {
        return manifestFromJson(json::parse(text)).error().message;
    };
    EXPECT_THAT(messageOf(R"({"attention":[{"module":"sideways","requested":"a","used":"b"}]})"),
                HasSubstr(R"(module "sideways": self, cross, joint or temporal was needed)"));
    EXPECT_THAT(messageOf(R"({"model":{"hashes":{"vae":3}}})"), HasSubstr("vae 3: text was needed"));
    EXPECT_THAT(messageOf(R"({"settings":{"width":"wide"}})"), HasSubstr("width \"wide\""));
}

/// A manifest with everything that one can have, at random.
Manifest randomManifest(protocol::RandomValues& random) {
    const auto count = [&] { return random.whole(); };
    const auto name = [&] { return random.text(kMaxNameBytes); };
    Manifest made;
    if (random.coin()) made.request = random.request();
    if (random.coin()) random.fill(made.settings.emplace());
    made.versions = random.names(kMaxNameBytes);
    made.device = name();
    made.deviceName = name();
    made.threads = random.integer(0, 1024);
    made.instructionSet = name();
    made.processor = name();
    made.modelId = random.text(4096);
    made.modelPaths = random.names(4096);
    made.modelHashes = random.names(64);
    made.pictureHashes = random.names(64);
    const auto kinds = {protocol::ModuleKind::Self, protocol::ModuleKind::Cross,
                        protocol::ModuleKind::Temporal};
    for (const protocol::ModuleKind kind : kinds)
        if (random.coin()) {
            protocol::CallRecord& call = made.attention.emplace_back();
            call = {kind, name(), name(), random.text(4096), count(), std::nullopt, std::nullopt};
            if (random.coin()) call.kept = random.number(0, 1);
            if (random.coin()) call.seconds = random.number(0, 1e6);
        }
    if (random.coin()) made.plugins.push_back({name(), random.text(4096), name(), name()});
    if (random.coin()) {
        made.calls.choices = {{"sdpa", "sdpa", ""}, {"fav3", "fav2", "why"}};
        const int layers = random.integer(1, 5), steps = random.integer(1, 4);
        protocol::CallMap& map = made.calls.maps.emplace_back();
        map.layers = layers;
        map.steps = steps;
        for (int site = 0; site < layers * steps; ++site) map.sites.push_back(random.integer(-1, 1));
    }
    if (random.coin())
        made.captures = protocol::CaptureRecord{random.text(4096), name(),  random.integer(0, 8), count(),
                                                count(),           count(), random.text(4096),    name()};
    if (random.coin())
        made.profile =
            ProfileRecord{random.text(4096), random.integer(0, 9), random.integer(0, 9), random.coin()};
    if (random.coin())
        made.stepCache =
            StepCacheRecord{random.number(0, 1), random.integer(0, 99), random.integer(0, 99), {0, 2, 1}};
    for (int step = random.integer(0, 3); step > 0; --step) made.resumedAt.push_back(random.integer(0, 1000));
    made.framesSha256 = random.text(64);
    made.clipSha256 = random.text(64);
    if (random.coin()) made.memory = MemoryRecord{name(), random.integer(1, 64), count(), std::nullopt};
    if (random.coin()) made.gemms = GemmRecord{name(), name(), random.text(4096)};
    for (int line = random.integer(0, 3); line > 0; --line) made.remarks.push_back(random.text(4096));
    if (random.coin()) made.temporal = TemporalRecord{name(), random.number(0, 10), random.text(4096)};
    return made;
}

TEST(ManifestAtRandom, IsReadAsItWasWritten) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        protocol::RandomValues random(seed);
        const Manifest manifest = randomManifest(random);
        const std::string written = printJson(toJson(manifest));
        const auto read = manifestFromJson(parseJson(written, "manifest").value());
        ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
        ASSERT_EQ(printJson(toJson(*read)), written) << "seed " << seed;
        ASSERT_EQ(read->request, manifest.request) << "seed " << seed;
        ASSERT_EQ(read->settings, manifest.settings) << "seed " << seed;
        ASSERT_EQ(read->calls, manifest.calls) << "seed " << seed;
    }
}

TEST(Manifest, RefusesNumbersThatAreTooLarge) {
    for (const char* text :
         {R"({"resumed_at": [4294967297]})", R"({"resumed_at": [-1]})",
          R"({"step_cache": {"threshold": 0.1, "skipped_per_step": [1e0, 9999999999]}})"}) {
        const auto read = manifestFromJson(parseJson(text, "manifest").value());
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error().message,
                    testing::HasSubstr("a whole number from 0 to 2147483647 was needed"));
    }
}

}  // namespace
}  // namespace reelgrid::result
