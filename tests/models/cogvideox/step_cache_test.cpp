#include <gmock/gmock.h>

#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "tests/models/cogvideox/tiny_model.h"

namespace reelgrid::models::cogvideox {
namespace {

using testing::Each;

/// Renders of a tiny model of one form.
class CogVideoXStepCache : public testing::TestWithParam<std::string> {
  protected:
    [[nodiscard]] protocol::RenderRequest requestWith(double threshold) const {
        protocol::RenderRequest request = tinyRequest(GetParam(), "expected");
        request.model = m_model.folder().string();
        request.numInferenceSteps = 8;
        request.stepCache = threshold;
        request.output = (m_model.folder() / "clip.mp4").string();
        return request;
    }
    [[nodiscard]] result::ClipResult rendered(const protocol::RenderRequest& request) {
        const auto clip = m_renderer.render(request, {}, {});
        EXPECT_TRUE(clip) << (clip ? "" : clip.error().message);
        return result::readClipResult(request.output);
    }

    TinyModel m_model{GetParam()};
    pipeline::Renderer m_renderer;
};

TEST_P(CogVideoXStepCache, SaysWhichPassesItSkipped) {
    const result::ClipResult read = rendered(requestWith(1));
    ASSERT_TRUE(read.problems.empty()) << read.problems[0].message;
    ASSERT_TRUE(read.manifest.stepCache);
    const result::StepCacheRecord& cache = *read.manifest.stepCache;
    EXPECT_EQ(cache.cache.threshold, 1);
    EXPECT_EQ(cache.passes, 16);
    EXPECT_GT(cache.skipped, 0);
    ASSERT_EQ(cache.skippedPerStep.size(), 8U);
    EXPECT_THAT(std::vector(cache.skippedPerStep.begin(), cache.skippedPerStep.begin() + 3), Each(0));
    for (std::size_t step = 0; step < 8; ++step) {
        EXPECT_EQ(cache.skippedPerStep[step] % 2, 0) << "one pass decides for both";
        EXPECT_EQ(read.timing()->passes[step].skipped, cache.skippedPerStep[step]);
        EXPECT_EQ(read.timing()->passes[step].whole, 2 - cache.skippedPerStep[step]);
    }
    EXPECT_EQ(read.manifest.attentionName(), "sdpa+cache-1");
    // One attention in each of two layers; a skipped pass has that of the first.
    std::uint64_t calls = 0;
    for (const protocol::CallRecord& call : read.manifest.attention) calls += call.calls;
    EXPECT_EQ(calls, std::uint64_t(2 * cache.passes - cache.skipped));
}

TEST_P(CogVideoXStepCache, AThresholdThatNothingStaysBelowChangesNoBit) {
    const result::ClipResult plain = rendered(requestWith(0));
    EXPECT_FALSE(plain.manifest.stepCache);
    EXPECT_TRUE(plain.timing()->passes.empty());
    EXPECT_FALSE(plain.metrics.drift);
    const result::ClipResult cached = rendered(requestWith(1e-9));
    EXPECT_EQ(cached.manifest.stepCache->skipped, 0);
    EXPECT_EQ(cached.manifest.framesSha256, plain.manifest.framesSha256);
}

TEST_P(CogVideoXStepCache, WithStreamedBlocksMakesTheSameFramesInLessMemory) {
    protocol::RenderRequest request = requestWith(1);
    request.offload = "none";
    const result::Manifest held = rendered(request).manifest;
    request.offload = "blocks";
    const result::Manifest streamed = rendered(request).manifest;
    EXPECT_EQ(streamed.framesSha256, held.framesSha256);
    EXPECT_EQ(streamed.stepCache->skippedPerStep, held.stepCache->skippedPerStep);
    EXPECT_LT(*streamed.memory->predictedPeak, *held.memory->predictedPeak);
}

TEST_P(CogVideoXStepCache, IsMeasuredAgainstTheClipWhoseEveryPassRanWhole) {
    (void)rendered(requestWith(0));
    const result::ClipResult cached = rendered(requestWith(1));
    ASSERT_TRUE(cached.metrics.drift);
    EXPECT_LT(cached.metrics.drift->psnr->mean, 100);
}

TEST_P(CogVideoXStepCache, GoesOnWhereItWasInterruptedWithTheSameBits) {
    protocol::RenderRequest request = requestWith(1);
    const result::Manifest whole = rendered(request).manifest;
    request.output = (m_model.folder() / "interrupted.mp4").string();
    request.saveLatentsEvery = 2;
    std::stop_source source;
    const auto interrupted = m_renderer.render(
        request,
        [&](const protocol::RenderProgress& progress) {
            if (progress.stage == "denoise" && progress.done >= 5) source.request_stop();
        },
        source.get_token());
    ASSERT_FALSE(interrupted);
    request.resume = true;
    const result::Manifest resumed = rendered(request).manifest;
    EXPECT_THAT(resumed.resumedAt, testing::ElementsAre(4));
    EXPECT_EQ(resumed.framesSha256, whole.framesSha256);
    EXPECT_EQ(resumed.stepCache->skippedPerStep, whole.stepCache->skippedPerStep);
}

INSTANTIATE_TEST_SUITE_P(Forms, CogVideoXStepCache, testing::Values("2b", "5b", "5b-i2v", "1.5"));

}  // namespace
}  // namespace reelgrid::models::cogvideox
