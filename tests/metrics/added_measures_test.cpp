#include "core/metrics/added_measures.h"

#include <gtest/gtest.h>

#include "core/metrics/measures.h"

namespace reelgrid::metrics {
namespace {

Series of(double mean) {
    return {mean, {mean}};
}

TEST(AddMeasures, FillsWhatIsAbsentAndRenewsWhatWasAskedFor) {
    ClipMetrics known;
    known.frames = 9;
    known.flickering = of(0.5);
    known.clipScore = of(20);
    known.measuredWith["clip_score"] = "an old network";
    known.measuredWithSha256["clip_score"] = "0d";
    known.drift.emplace().psnr = of(40);
    known.drift->latentError = 0.25;

    ClipMetrics now;
    now.frames = 9;
    now.flickering = of(0.75);
    now.warpingError = of(0.125);
    now.clipScore = of(30);
    now.measuredWith["clip_score"] = "a new network";
    now.drift.emplace().psnr = of(41);
    now.drift->lpips = of(0.01);
    now.measuredWith["lpips"] = "AlexNet";
    now.measuredWithSha256["lpips"] = "7b";
    addMeasures(now, known);

    EXPECT_EQ(known.flickering->mean, 0.5) << "measured already";
    EXPECT_EQ(known.warpingError->mean, 0.125);
    EXPECT_EQ(known.clipScore->mean, 30);
    EXPECT_EQ(known.measuredWith.at("clip_score"), "a new network");
    EXPECT_EQ(known.drift->psnr->mean, 40);
    EXPECT_EQ(known.drift->latentError, 0.25);
    EXPECT_EQ(known.drift->lpips->mean, 0.01);
    EXPECT_EQ(known.measuredWith.at("lpips"), "AlexNet");
    EXPECT_EQ(known.measuredWithSha256, (std::map<std::string, std::string>{{"lpips", "7b"}}))
        << "the old network's goes with it";

    ClipMetrics empty;
    addMeasures(now, empty);
    EXPECT_EQ(empty.frames, 9);
    EXPECT_EQ(empty.drift->psnr->mean, 41);
    for (const Measure& measure : kMeasures)
        EXPECT_EQ(numberOf(measure, empty), numberOf(measure, now)) << measure.key;

    ClipMetrics nothing;
    addMeasures(nothing, known);
    EXPECT_EQ(known.clipScore->mean, 30) << "what wasn't measured takes nothing away";
    EXPECT_EQ(known.drift->lpips->mean, 0.01);
}

TEST(AddMeasures, NothingOfTwoReferencesIsMixed) {
    ClipMetrics known, now;
    known.drift.emplace().psnr = of(40);
    known.drift->referenceSha256 = "aa";
    now.drift.emplace().lpips = of(0.01);
    now.drift->referenceSha256 = "bb";
    now.measuredWith["lpips"] = "AlexNet";
    addMeasures(now, known);
    EXPECT_EQ(known.drift->psnr->mean, 40);
    EXPECT_FALSE(known.drift->lpips);
    EXPECT_TRUE(known.measuredWith.empty());
}

TEST(DropOtherDrift, LeavesTheOneThatIsProvablyFromTheReference) {
    const auto isLeft = [](const std::string& kept, const std::string& reference) {
        ClipMetrics known;
        known.clipScore = of(20);
        known.drift.emplace().lpips = of(0.01);
        known.drift->referenceSha256 = kept;
        known.measuredWith = {{"lpips", "AlexNet"}, {"clip_score", "a network"}};
        known.measuredWithSha256 = {{"lpips", "7b"}, {"clip_score", "c1"}};
        const bool isDropped = dropOtherDrift(reference, known);
        EXPECT_EQ(known.drift.has_value(), !isDropped);
        EXPECT_EQ(known.measuredWith.contains("lpips"), !isDropped);
        EXPECT_EQ(known.measuredWithSha256.contains("lpips"), !isDropped);
        EXPECT_TRUE(known.measuredWith.contains("clip_score"));
        return !isDropped;
    };
    EXPECT_TRUE(isLeft("aa", "aa"));
    EXPECT_FALSE(isLeft("bb", "aa"));
    EXPECT_FALSE(isLeft("", "aa")) << "an older file's";
    EXPECT_FALSE(isLeft("aa", "")) << "no reference";
    EXPECT_FALSE(isLeft("", ""));
    ClipMetrics none;
    EXPECT_FALSE(dropOtherDrift("aa", none));
}

}  // namespace
}  // namespace reelgrid::metrics
