#include <gmock/gmock.h>

#include <numeric>

#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

using testing::HasSubstr;

class StepCacheTest : public TinyRenderTest {
  protected:
    [[nodiscard]] protocol::RenderRequest requestWith(double threshold) const {
        protocol::RenderRequest request = tinyRequest();
        request.numInferenceSteps = 8;
        request.stepCache = threshold;
        return request;
    }
    [[nodiscard]] result::ClipResult rendered(const protocol::RenderRequest& request) {
        const auto clip = m_renderer.render(request, {}, {});
        EXPECT_TRUE(clip) << clip.error().message;
        return result::readClipResult(request.output);
    }

    Renderer m_renderer;
};

TEST_F(StepCacheTest, SaysWhichPassesItSkipped) {
    const result::ClipResult read = rendered(requestWith(1));
    ASSERT_TRUE(read.problems.empty()) << read.problems[0].message;
    ASSERT_TRUE(read.manifest.stepCache);
    const result::StepCacheRecord& cache = *read.manifest.stepCache;
    EXPECT_EQ(cache.threshold, 1);
    EXPECT_EQ(cache.passes, 16);
    EXPECT_GT(cache.skipped, 0);
    EXPECT_LT(cache.skipped, 16);
    ASSERT_EQ(cache.skippedPerStep.size(), 8U);
    for (std::size_t step = 0; step < 3; ++step)
        EXPECT_EQ(cache.skippedPerStep[step], 0) << "the first three tenths run whole";
    EXPECT_GT(cache.skippedPerStep[3], 0);
    EXPECT_EQ(std::accumulate(cache.skippedPerStep.begin(), cache.skippedPerStep.end(), 0), cache.skipped);
    ASSERT_EQ(read.timing()->passes.size(), 8U);
    for (std::size_t step = 0; step < 8; ++step) {
        EXPECT_EQ(read.timing()->passes[step].skipped, cache.skippedPerStep[step]);
        EXPECT_EQ(read.timing()->passes[step].whole, 2 - cache.skippedPerStep[step]);
    }
    EXPECT_EQ(read.manifest.attentionName(), "sdpa+cache-1");
    // Two kinds of attention in each of two layers; a skipped pass has those of the first.
    std::uint64_t calls = 0;
    for (const protocol::CallRecord& call : read.manifest.attention) calls += call.calls;
    EXPECT_EQ(calls, std::uint64_t(4 * cache.passes - 2 * cache.skipped));
}

TEST_F(StepCacheTest, AThresholdThatNothingStaysBelowChangesNoBit) {
    const result::ClipResult plain = rendered(requestWith(0));
    EXPECT_FALSE(plain.manifest.stepCache);
    EXPECT_TRUE(plain.timing()->passes.empty());
    const result::ClipResult cached = rendered(requestWith(1e-9));
    EXPECT_EQ(cached.manifest.stepCache->skipped, 0);
    EXPECT_EQ(cached.manifest.framesSha256, plain.manifest.framesSha256);
}

TEST_F(StepCacheTest, IsMeasuredAgainstTheClipWhoseEveryPassRanWhole) {
    EXPECT_FALSE(rendered(requestWith(0)).metrics.drift);
    const result::ClipResult cached = rendered(requestWith(1));
    ASSERT_TRUE(cached.metrics.drift);
    EXPECT_LT(cached.metrics.drift->psnr->mean, 100);
    EXPECT_TRUE(rendered(requestWith(0.5)).metrics.drift) << "a clip with a cache is no reference";
}

TEST_F(StepCacheTest, IsRefusedWhereAnotherPassWouldBeTakenForTheRenders) {
    auto request = requestWith(0.1);
    request.lockstep = {"fav2"};
    const auto clip = m_renderer.render(request, {}, {});
    ASSERT_FALSE(clip);
    EXPECT_EQ(clip.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(clip.error().message, HasSubstr("a clip with sdpa throughout, not sdpa+cache-0.1,"));
}

}  // namespace
}  // namespace reelgrid::pipeline
