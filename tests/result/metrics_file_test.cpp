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

ClipMetrics measured() {
    ClipMetrics metrics;
    metrics.frames = 3;
    metrics.frameCorrelation = metrics::Series{0.875, {0.875, kNone}};
    metrics.flickering = 0.96875;
    metrics::Drift& drift = metrics.drift.emplace();
    drift.psnr = metrics::Series{31, {30, 31, 32}};
    drift.ssim = metrics::Series{0.5, {0.5, 0.5, 0.5}};
    drift.referenceFrames = 4;
    drift.comparedFrames = 3;
    metrics.gates = metrics::ClipGates{.luminanceVariance = 64, .motion = kNone, .frozenPairs = 1};
    return metrics;
}

TEST(MetricsFile, KeepsADriftOfTheRenderItselfBesideTheRest) {
    const json object = json::parse(metricsJson(measured()));
    EXPECT_EQ(object["frame_correlation"], json::parse(R"({"mean":0.875,"per_frame":[0.875,null]})"));
    EXPECT_EQ(object["flickering"], 0.96875);
    EXPECT_EQ(object["psnr"]["mean"], 31);
    EXPECT_EQ(object["reference"], json::parse(R"({"frames":4,"compared_frames":3})"));
    EXPECT_TRUE(object["gates"]["motion"].is_null());
    EXPECT_FALSE(object.contains("drift"));
}

TEST(MetricsFile, SaysOfADriftWhereItWasMeasured) {
    ClipMetrics metrics = measured();
    metrics.drift->reference = "sdpa";
    metrics.drift->referenceClip = "a_attn_sdpa.mp4";
    metrics.drift->measuredOn = metrics::kDecodedClips;
    const json object = json::parse(metricsJson(metrics));
    EXPECT_FALSE(object.contains("psnr"));
    EXPECT_FALSE(object.contains("reference"));
    EXPECT_EQ(object["drift"]["reference"], "sdpa");
    EXPECT_EQ(object["drift"]["reference_clip"], "a_attn_sdpa.mp4");
    EXPECT_EQ(object["drift"]["measured_on"], "decoded clips");
    EXPECT_EQ(object["drift"]["psnr"]["mean"], 31);
}

TEST(MetricsFile, SurvivesARoundTrip) {
    ClipMetrics decoded = measured();
    decoded.drift->measuredOn = metrics::kDecodedClips;
    for (const ClipMetrics& metrics : {measured(), decoded, ClipMetrics()}) {
        const auto read = metricsFromJson(json::parse(metricsJson(metrics)));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(metricsJson(*read), metricsJson(metrics));
    }
}

TEST(Measures, ReachEveryMeasurementOfTheClip) {
    const ClipMetrics metrics = measured();
    std::vector<double> numbers;
    for (const metrics::Measure& measure : metrics::kMeasures)
        numbers.push_back(numberOf(measure, metrics).value());
    EXPECT_THAT(numbers, testing::ElementsAre(0.875, 0.96875, 31, 0.5));
    for (const metrics::Measure& measure : metrics::kMeasures)
        EXPECT_FALSE(numberOf(measure, ClipMetrics())) << measure.key;
}

}  // namespace
}  // namespace reelgrid::result
