#include "core/models/animatediff/motion_choice.h"

#include <gmock/gmock.h>

#include "core/base/result.h"

namespace reelgrid::models::animatediff {
namespace {

catalog::RenderSettings clipOf(int frames) {
    catalog::RenderSettings settings;
    settings.numFrames = frames;
    settings.generator = "cpu";
    return settings;
}

const MotionConfig kPositions32{};

std::string refusalOf(const catalog::RenderSettings& settings) {
    try {
        (void)motionChoice(settings, kPositions32);
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().code, ErrorCode::BadUsage);
        return failure.error().message;
    }
    return "none";
}

TEST(MotionChoice, HasWindowsWhereAClipIsLongerThanThePositions) {
    EXPECT_FALSE(motionChoice(clipOf(32), kPositions32).manner.windows);
    const auto windows = motionChoice(clipOf(33), kPositions32).manner.windows;
    ASSERT_TRUE(windows);
    EXPECT_EQ(windows->length, 16);
    EXPECT_EQ(windows->stride, 4);
    EXPECT_EQ(windows->weights, FrameWindows::Weights::Pyramid);
    EXPECT_EQ(windows->end, FrameWindows::End::Open);
    auto settings = clipOf(12);
    settings.contextFrames = 8;
    settings.contextWeights = "flat";
    settings.temporalAlpha = 0.35;
    const auto chosen = motionChoice(settings, kPositions32);
    EXPECT_EQ(chosen.manner.windows->length, 8);
    EXPECT_EQ(chosen.manner.windows->weights, FrameWindows::Weights::Flat);
    EXPECT_EQ(chosen.manner.strength, 0.35);
}

TEST(MotionChoice, ALoopsWindowsReachOverItsEnd) {
    auto settings = clipOf(8);
    settings.loop = true;
    const auto windows = motionChoice(settings, kPositions32).manner.windows;
    ASSERT_TRUE(windows);
    EXPECT_EQ(windows->length, 8);
    EXPECT_EQ(windows->end, FrameWindows::End::Joined);
    EXPECT_THAT(windows->beginsIn(8), testing::ElementsAre(0, 4));
}

TEST(MotionChoice, RefusesWhatCannotBeNamingTheOption) {
    auto settings = clipOf(16);
    settings.contextFrames = 33;
    EXPECT_THAT(refusalOf(settings), testing::HasSubstr("--context-frames 33: at most 32"));
    settings.contextFrames = 3;
    EXPECT_THAT(refusalOf(settings), testing::HasSubstr("--context-stride 4: at most 3"));
    settings.contextStride = 2;
    settings.contextWeights = "round";
    EXPECT_THAT(refusalOf(settings), testing::HasSubstr("--context-weights round: pyramid or flat"));
    settings.contextWeights = "flat";
    settings.contextNoise = "pink";
    EXPECT_THAT(refusalOf(settings), testing::HasSubstr("--context-noise pink: shuffle or random"));
}

TEST(ClipNoise, OfLaterFramesIsThatOfEarlierOnes) {
    auto settings = clipOf(9);
    settings.contextFrames = 4;
    settings.contextStride = 2;
    const auto motion = motionChoice(settings, kPositions32);
    denoising::LatentNoise noise(settings, at::kCPU), plain(settings, at::kCPU);
    const at::Tensor shuffled = clipNoise(noise, {1, 2, 9, 3, 3}, settings, motion);
    const at::Tensor drawn = plain.draw({1, 2, 9, 3, 3});
    EXPECT_TRUE(at::equal(shuffled.narrow(2, 0, 4), drawn.narrow(2, 0, 4)));
    for (const int to : {4, 6, 8}) {
        int found = 0;
        for (const int from : {to - 4, to - 3})
            found += at::equal(shuffled.select(2, to), shuffled.select(2, from)) ? 1 : 0;
        EXPECT_EQ(found, 1) << to;
    }
}

}  // namespace
}  // namespace reelgrid::models::animatediff
