#include "core/result/metrics_file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/metrics/measures.h"

namespace reelgrid::result {
namespace {

using metrics::ClipMetrics;
using nlohmann::json;

const double kNone = std::numeric_limits<double>::quiet_NaN();

ClipMetrics measuredClip() {
    ClipMetrics metrics;
    metrics.frames = 3;
    metrics.frameCorrelation = metrics::Series{0.875, {0.875, kNone}};
    metrics.flickering = metrics::Series{0.96875, {0.9375, 1}};
    metrics.warpingError = metrics::Series{kNone, {kNone, kNone}};
    metrics::Drift& drift = metrics.drift.emplace();
    drift.psnr = metrics::Series{31, {30, 31, 32}};
    drift.ssim = metrics::Series{0.5, {0.5, 0.5, 0.5}};
    drift.msSsim = metrics::Series{0.75, {0.75, 0.75, 0.75}};
    drift.lpips = metrics::Series{0.25, {0.25, 0.25, 0.25}};
    drift.lpipsSqueeze = metrics::Series{0.125, {0.125, 0.125, 0.125}};
    drift.vmaf = metrics::Series{90, {80, 90, 100}};
    metrics.clipScore = metrics::Series{30, {29, 30, 31}};
    metrics.subjectConsistency = metrics::Series{0.9375, {0.9375, 0.9375}};
    metrics.backgroundConsistency = metrics::Series{0.96875, {0.96875, 0.96875}};
    metrics.measuredWith = {{"lpips", "alex.pth"}, {"vmaf", "FFmpeg 7"}};
    metrics.measuredWithSha256 = {{"lpips", "7b"}};
    drift.latentError = 0.0625;
    drift.referenceFrames = 4;
    drift.comparedFrames = 3;
    metrics.gates = metrics::ClipGates{.luminanceVariance = 64, .motion = kNone, .frozenPairs = 1};
    return metrics;
}

TEST(MetricsFile, KeepsADriftOfTheRenderItselfBesideTheRest) {
    const json object = json::parse(toJson(measuredClip()).dump());
    EXPECT_EQ(object["frame_correlation"], json::parse(R"({"mean":0.875,"per_frame":[0.875,null]})"));
    EXPECT_EQ(object["flickering"], 0.96875);
    EXPECT_EQ(object["per_frame"]["flickering"], json::parse("[0.9375,1.0]"));
    EXPECT_TRUE(object["warping_error"].is_null());
    EXPECT_EQ(object["psnr"]["mean"], 31);
    EXPECT_EQ(object["reference"], json::parse(R"({"frames":4,"compared_frames":3})"));
    EXPECT_FALSE(object.contains("clip_sha256"));
    EXPECT_EQ(object["measured_with_sha256"], json::parse(R"({"lpips":"7b"})"));
    EXPECT_TRUE(object["gates"]["motion"].is_null());
    EXPECT_FALSE(object.contains("drift"));
}

TEST(MetricsFile, SaysOfADriftWhereItWasMeasured) {
    ClipMetrics metrics = measuredClip();
    metrics.drift->reference = "sdpa";
    metrics.drift->referenceClip = "a_attn_sdpa.mp4";
    metrics.drift->referenceSha256 = "3f2a";
    metrics.drift->measuredOn = metrics::kDecodedClips;
    const json object = json::parse(toJson(metrics).dump());
    EXPECT_FALSE(object.contains("psnr"));
    EXPECT_FALSE(object.contains("reference"));
    EXPECT_EQ(object["drift"]["reference"], "sdpa");
    EXPECT_EQ(object["drift"]["reference_clip"], "a_attn_sdpa.mp4");
    EXPECT_EQ(object["drift"]["measured_on"], "decoded clips");
    EXPECT_EQ(object["drift"]["reference_sha256"], "3f2a");
    EXPECT_EQ(object["drift"]["psnr"]["mean"], 31);
}

TEST(MetricsFile, SaysWhichClipsItIsOf) {
    ClipMetrics metrics = measuredClip();
    metrics.clipSha256 = "5d";
    metrics.drift->reference = "sdpa";
    metrics.drift->referenceSha256 = "3f2a";
    const json object = json::parse(toJson(metrics).dump());
    EXPECT_EQ(object["clip_sha256"], "5d");
    EXPECT_EQ(object["reference"]["backend"], "sdpa");
    EXPECT_EQ(object["reference"]["sha256"], "3f2a");
    metrics.drift->measuredOn = metrics::kKeptFrames;
    for (const json& written : {object, json::parse(toJson(metrics).dump())}) {
        const auto read = metricsFromJson(written);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->clipSha256, "5d");
        EXPECT_EQ(read->drift->reference, "sdpa");
        EXPECT_EQ(read->drift->referenceSha256, "3f2a");
    }
}

TEST(MetricsFile, FiguresThatWereChangedDoNotCount) {
    const std::string text = metricsJson(measuredClip());
    ASSERT_TRUE(metricsFromJson(json::parse(text)));
    json object = json::parse(text);
    object["psnr"]["per_frame"][0] = 99;
    const auto changed = metricsFromJson(object);
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().message,
              "its figures aren't those that were written (figures_sha256), none of them counts");
    object.erase("figures_sha256");
    EXPECT_TRUE(metricsFromJson(object)) << "as earlier versions wrote it";
    object["figures_sha256"] = 3;
    EXPECT_FALSE(metricsFromJson(object));
}

TEST(MetricsFile, AMeanIsOfTheListBesideIt) {
    json object = json::parse(toJson(measuredClip()).dump());
    object["psnr"]["mean"] = 99;
    object["frame_correlation"].erase("mean");
    object["flickering"] = 0.5;
    object["ssim"]["per_frame"] = json::array();
    const auto read = metricsFromJson(object);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->drift->psnr->mean, 31);
    EXPECT_EQ(read->frameCorrelation->mean, 0.875);
    EXPECT_EQ(read->flickering->mean, 0.96875);
    EXPECT_EQ(read->drift->ssim->mean, 0.5) << "there is no list to hold it to";
}

TEST(MetricsFile, IsRefusedWhereItsListsAndCountsContradictEachOther) {
    const auto refusal = [](const char* pointer, const json& value) {
        json object = json::parse(toJson(measuredClip()).dump());
        object[json::json_pointer(pointer)] = value;
        const auto read = metricsFromJson(object);
        return read ? "none" : read.error().message;
    };
    using testing::HasSubstr;
    EXPECT_EQ(refusal("/frames", 4), "none");
    EXPECT_THAT(refusal("/frames", 2000000000), HasSubstr("of 2000000000 frames, at most 100000"));
    EXPECT_THAT(refusal("/frames", 2), HasSubstr("compared_frames is of 3 frames, at most 2"));
    EXPECT_THAT(refusal("/psnr/per_frame", json::array({30, 31})), HasSubstr("psnr is of 2 frames, 3 as in"));
    EXPECT_THAT(refusal("/per_frame/flickering", json::array({1, 1, 1, 1})),
                HasSubstr("flickering is of 4 frames, at most 3"));
}

TEST(MetricsFile, SurvivesARoundTrip) {
    ClipMetrics decoded = measuredClip();
    decoded.drift->measuredOn = metrics::kDecodedClips;
    for (const ClipMetrics& metrics : {measuredClip(), decoded, ClipMetrics()}) {
        const auto read = metricsFromJson(json::parse(metricsJson(metrics)));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(metricsJson(*read), metricsJson(metrics));
    }
}

TEST(Measures, ReachEveryMeasurementOfTheClip) {
    const ClipMetrics metrics = measuredClip();
    std::vector<double> numbers;
    for (const metrics::Measure& measure : metrics::kMeasures)
        numbers.push_back(numberOf(measure, metrics).value());
    EXPECT_THAT(numbers, testing::ElementsAre(0.875, 0.96875, testing::IsNan(), 31, 0.5, 0.75, 0.25, 0.125,
                                              90, 30, 0.9375, 0.96875));
    for (const metrics::Measure& measure : metrics::kMeasures)
        EXPECT_FALSE(numberOf(measure, ClipMetrics())) << measure.key;
}

/// 2 layers, 3 steps; what "sla" did not do is not there.
metrics::LockstepMap lockstepMap() {
    metrics::LockstepMap map;
    map.layers = 2;
    map.steps = 3;
    map.reference = "sdpa";
    map.seconds = {1, 2, 3, 4, 5, 6};
    map.stepSize = {0.5, 0.25, 0.125};
    map.backends.push_back({"sagev1",
                            {{1, 1, 0.5, 1, 1, 1}, {0, 0, 0, 0.25, 0, 0}, {0, 0, 0, 0, 0, 2}},
                            {6, 5, 4, 3, 2, 1},
                            {{1, 1, 0.5}, {0, 0.5, 0}, {0, 0, 0.75}},
                            ""});
    return map;
}

TEST(MetricsFile, KeepsLockstepMapsAsOneListAStep) {
    ClipMetrics metrics = measuredClip();
    metrics.lockstep = lockstepMap();
    const json object = json::parse(toJson(metrics).dump());
    EXPECT_EQ(object["lockstep"]["backends"][0]["attention"]["l1"], json::parse("[[0,0],[0,0.25],[0,0]]"));
    EXPECT_EQ(object["lockstep"]["backends"][0]["flow"]["cosine"], json::parse("[1,1,0.5]"));
    EXPECT_EQ(object["lockstep"]["branches"], "combined");
    const auto read = metricsFromJson(object);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->lockstep, metrics.lockstep);
}

TEST(MetricsFile, WritesWhatLockstepDidNotMeasureAsNullOrNotAtAll) {
    ClipMetrics metrics = measuredClip();
    metrics.lockstep = lockstepMap();
    metrics.lockstep->seconds.clear();
    metrics.lockstep->backends[0].seconds.clear();
    metrics.lockstep->backends[0].why = "no GPU";
    metrics.lockstep->backends[0].attention.rmse[5] = kNone;
    const json object = json::parse(toJson(metrics).dump());
    EXPECT_FALSE(object["lockstep"].contains("seconds"));
    EXPECT_FALSE(object["lockstep"]["backends"][0].contains("seconds"));
    EXPECT_TRUE(object["lockstep"]["backends"][0]["attention"]["rmse"][2][1].is_null());
    const auto read = metricsFromJson(object);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(std::isnan(read->lockstep->backends[0].attention.rmse[5]));
    EXPECT_EQ(read->lockstep->backends[0].why, "no GPU");
}

TEST(MetricsFile, RefusesLockstepMapsOfAnotherSizeThanTheySay) {
    ClipMetrics metrics = measuredClip();
    metrics.lockstep = lockstepMap();
    const json whole = json::parse(toJson(metrics).dump());
    const auto errorWith = [&](const char* pointer, const json& value) {
        json object = whole;
        object[json::json_pointer(pointer)] = value;
        const auto read = metricsFromJson(object);
        return read ? std::string("read") : read.error().message;
    };
    using testing::HasSubstr;
    EXPECT_THAT(errorWith("/lockstep/layers", 3), HasSubstr("a list of 3 numbers was needed"));
    EXPECT_THAT(errorWith("/lockstep/layers", 1000000), HasSubstr("1000000 layers"));
    EXPECT_THAT(errorWith("/lockstep/steps", 4), HasSubstr("step_size: a list of 4 numbers"));
    EXPECT_THAT(errorWith("/lockstep/backends/0/attention/l1", json::array()),
                HasSubstr("3 lists, one a step"));
    EXPECT_THAT(errorWith("/lockstep/backends/0/flow/rmse/1", "a"), HasSubstr("a number was needed"));
    EXPECT_THAT(errorWith("/lockstep/backends/0/attention", nullptr), HasSubstr("attention is missing"));
}

}  // namespace
}  // namespace reelgrid::result
