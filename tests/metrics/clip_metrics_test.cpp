#include "core/metrics/clip_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/metrics/metrics_report.h"
#include "core/metrics/psnr.h"
#include "core/result/metrics_file.h"
#include "tests/metrics/test_clips.h"

namespace reelgrid::metrics {
namespace {

using nlohmann::json;
using test::movingClip;
using test::solidClip;
using testing::HasSubstr;

TEST(Psnr, FollowsItsDefinitionAndHasAFloor) {
    const auto a = solidClip(20, 20, 1, 100);
    const auto b = solidClip(20, 20, 1, 110);
    EXPECT_NEAR(psnr(a.frame(0), b.frame(0)), 10 * std::log10(255.0 * 255 / 100), 1e-12);
    EXPECT_DOUBLE_EQ(psnr(a.frame(0), a.frame(0)), 100);
    const auto black = solidClip(300, 300, 1, 0);
    const auto white = solidClip(300, 300, 1, 255);
    EXPECT_NEAR(psnr(black.frame(0), white.frame(0)), 0, 1e-12);
}

TEST(ClipMetrics, WithoutAReferenceHasOnlyWhatTheClipShows) {
    const json report = json::parse(result::toJson(measure(movingClip(40, 30, 5)).value()).dump());
    EXPECT_EQ(report["frames"], 5);
    EXPECT_EQ(report["frame_correlation"]["per_frame"].size(), 4U);
    EXPECT_GT(report["frame_correlation"]["mean"], 0.5);
    EXPECT_GT(report["flickering"], 0.5);
    EXPECT_GE(report["warping_error"], 0.0);
    EXPECT_TRUE(report["gates"]["passed"]);
    for (const char* absent : {"psnr", "ssim", "reference"}) EXPECT_FALSE(report.contains(absent));
}

TEST(ClipMetrics, WithAReferenceComparesTheCommonFramesAndSaysHowMany) {
    const auto clip = movingClip(40, 30, 5, 0.3, 5);
    const auto reference = movingClip(40, 30, 7);
    const json report = json::parse(result::toJson(measure(clip, &reference).value()).dump());
    EXPECT_EQ(report["psnr"]["per_frame"].size(), 5U);
    EXPECT_EQ(report["ssim"]["per_frame"].size(), 5U);
    EXPECT_GT(report["psnr"]["mean"], 30);
    EXPECT_LT(report["psnr"]["mean"], 50);
    EXPECT_EQ(report["reference"]["frames"], 7);
    EXPECT_EQ(report["reference"]["compared_frames"], 5);
}

/// Frames [from, to) of a clip.
media::RgbVideo partOf(const media::RgbVideo& video, int from, int to) {
    media::RgbVideo part{video.width, video.height, video.fps, {}};
    for (int frame = from; frame < std::min(to, video.frameCount()); ++frame)
        part.pixels.insert(part.pixels.end(), video.frame(frame).begin(), video.frame(frame).end());
    return part;
}

TEST(ClipMetrics, OfPartsAreThoseOfTheWholeClip) {
    const auto clip = movingClip(40, 30, 11, 0.3, 5);
    for (const int referenceFrames : {0, 4, 7, 11, 13}) {
        const auto reference = movingClip(40, 30, std::max(1, referenceFrames));
        const media::RgbVideo* against = referenceFrames > 0 ? &reference : nullptr;
        const auto whole = json::parse(result::toJson(measure(clip, against).value()).dump());
        for (const int each : {1, 2, 3, 10}) {
            ClipMeasurement measurement;
            for (int from = 0; from == 0 || from < 10; from += each) {
                // With the last frame of the part before.
                const auto part = partOf(clip, from, from + each + 1);
                const int last = std::min(from, std::max(0, referenceFrames - 1));
                const auto held = partOf(reference, last, from + each + 1);
                ASSERT_TRUE(measurement.add(part, against != nullptr ? &held : nullptr));
            }
            json parts = json::parse(result::toJson(measurement.finish()).dump());
            // Frames beyond the clip's end were not given.
            if (referenceFrames > 11) parts["reference"]["frames"] = whole["reference"]["frames"];
            EXPECT_EQ(parts, whole) << referenceFrames << ' ' << each;
        }
    }
}

TEST(ClipMetrics, RefusesAnotherSizeAndNoFrames) {
    const auto clip = movingClip(40, 30, 3);
    const auto other = movingClip(30, 40, 3);
    const auto mismatch = measure(clip, &other);
    ASSERT_FALSE(mismatch);
    EXPECT_EQ(mismatch.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(mismatch.error().message, HasSubstr("40x30"));
    EXPECT_THAT(mismatch.error().message, HasSubstr("30x40"));
    const media::RgbVideo none{40, 30, {16, 1}, {}};
    EXPECT_EQ(measure(none).error().code, ErrorCode::BadUsage);
    EXPECT_EQ(measure(clip, &none).error().code, ErrorCode::BadUsage);
}

TEST(ClipMetrics, OfOneFrameHasNoTemporalScores) {
    const json report = json::parse(result::toJson(measure(movingClip(40, 30, 1)).value()).dump());
    EXPECT_FALSE(report.contains("frame_correlation"));
    EXPECT_FALSE(report.contains("flickering"));
    EXPECT_TRUE(report["gates"]["motion"].is_null());
    EXPECT_FALSE(report["gates"]["frozen"]);
}

TEST(ClipMetrics, OfTinyPicturesHasPsnrButNoSsim) {
    const auto clip = movingClip(10, 30, 2);
    const json report = json::parse(result::toJson(measure(clip, &clip).value()).dump());
    EXPECT_EQ(report["psnr"]["mean"], 100);
    EXPECT_FALSE(report.contains("ssim"));
}

TEST(Gates, CatchFrozenAndBlackClips) {
    const ClipMetrics frozen = measure(movingClip(40, 30, 5, 0)).value();
    EXPECT_TRUE(frozen.gates->frozen);
    EXPECT_FALSE(frozen.gates->flat);
    EXPECT_EQ(frozen.gates->frozenPairs, 4);
    EXPECT_DOUBLE_EQ(frozen.flickering->mean, 1);  // which is why the gate is there
    EXPECT_THAT(gateWarning(*frozen.gates), HasSubstr("nothing moves"));

    const ClipMetrics black = measure(solidClip(40, 30, 5, 0)).value();
    EXPECT_TRUE(black.gates->flat);
    EXPECT_THAT(gateWarning(*black.gates), HasSubstr("flat"));
    EXPECT_TRUE(result::toJson(black)["frame_correlation"]["mean"].is_null());

    const ClipMetrics good = measure(movingClip(40, 30, 5)).value();
    EXPECT_TRUE(good.gates->passed());
    EXPECT_EQ(gateWarning(*good.gates), "");
}

TEST(MetricsCsv, HasOneLineAFrameAndEmptyCellsForWhatIsAbsent) {
    const auto clip = movingClip(40, 30, 3);
    EXPECT_THAT(
        metricsCsv(measure(clip).value()),
        testing::StartsWith("frame,frame_correlation,flickering,warping_error,psnr,ssim,ms_ssim\n0,0."));
    const std::string text = metricsCsv(measure(clip, &clip).value());
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
    EXPECT_THAT(text, HasSubstr("\n2,,,,100,"));
}

/// A bright square on a dark, textured ground, so many pixels further to the right with each frame.
media::RgbVideo squareClip(int frames, int pixelsAFrame) {
    media::RgbVideo video{96, 64, {16, 1}, {}};
    for (int f = 0; f < frames; ++f)
        for (int y = 0; y < video.height; ++y)
            for (int x = 0; x < video.width; ++x) {
                const int left = 8 + f * pixelsAFrame;
                const bool inside = x >= left && x < left + 20 && y >= 20 && y < 40;
                const int code = inside ? 200 + (x - left) : 60 + (x * 7 + y * 13) % 23;
                for (int c = 0; c < 3; ++c) video.pixels.push_back(std::uint8_t(code));
            }
    return video;
}

/// One picture turns into another.
media::RgbVideo fadeClip(int frames) {
    const auto from = squareClip(1, 0), to = movingClip(96, 64, 1, 0, 0);
    media::RgbVideo video{96, 64, {16, 1}, {}};
    for (int f = 0; f < frames; ++f)
        for (std::size_t i = 0; i < from.pixels.size(); ++i)
            video.pixels.push_back(
                std::uint8_t((from.pixels[i] * (frames - 1 - f) + to.pixels[i] * f) / (frames - 1)));
    return video;
}

TEST(Coherence, WhatMovesIsCoherentAndAStillOrAFadeIsNot) {
    const auto judged = [](const media::RgbVideo& video) { return measure(video).value(); };
    const ClipMetrics moving = judged(squareClip(17, 3)), fade = judged(fadeClip(17)),
                      frozen = judged(squareClip(17, 0)), flat = judged(solidClip(96, 64, 5, 40)),
                      apart = judged(movingClip(96, 64, 17, 2.5));
    // By correlation alone each of the first three passes.
    for (const ClipMetrics* clip : {&moving, &fade, &frozen})
        EXPECT_GT(clip->frameCorrelation->mean, kLeastOfModule);
    EXPECT_EQ(coherenceOf(moving), Coherence::Coherent) << coherenceText(moving);
    EXPECT_EQ(coherenceOf(fade), Coherence::CrossFaded) << coherenceText(fade);
    EXPECT_EQ(coherenceOf(frozen), Coherence::Frozen) << coherenceText(frozen);
    EXPECT_EQ(coherenceOf(flat), Coherence::Flat);
    EXPECT_EQ(coherenceOf(apart), Coherence::Incoherent) << coherenceText(apart);
    EXPECT_FALSE(coherenceOf(judged(squareClip(2, 3)))) << "two frames have one change";
    EXPECT_THAT(coherenceText(fade), HasSubstr("cross-faded: frame correlation "));
    EXPECT_THAT(coherenceText(moving), HasSubstr("(a run's 0.60, a temporal module's 0.70)"));
    EXPECT_THAT(coherenceText(apart), HasSubstr("(not a run's 0.60, not a temporal module's 0.70)"));
}

TEST(Coherence, IsTheSameOfAClipThatIsReadInPartsAndOfItsFile) {
    const auto video = squareClip(17, 3);
    ClipMeasurement parts;
    ASSERT_TRUE(parts.add(partOf(video, 0, 6)));
    ASSERT_TRUE(parts.add(partOf(video, 5, 17)));
    ClipMetrics whole = measure(video).value();
    EXPECT_EQ(coherenceText(parts.finish()), coherenceText(whole));
    whole.latentCorrelation = 0.75;
    whole.independentCorrelation = 0.25;
    const json written = json::parse(result::toJson(whole).dump());
    EXPECT_EQ(written["coherence"]["verdict"], "coherent");
    EXPECT_EQ(written["coherence"]["latents"], 0.75);
    EXPECT_EQ(written["coherence"]["frames_apart"], 0.25);
    const auto read = result::metricsFromJson(written);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(coherenceText(*read), coherenceText(whole));
    EXPECT_THAT(coherenceText(whole), HasSubstr("of latents 0.75, of frames made apart 0.25"));
}

}  // namespace
}  // namespace reelgrid::metrics
