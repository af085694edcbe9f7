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
    [[nodiscard]] protocol::RenderRequest requestWith(const protocol::StepCache& cache) const {
        protocol::RenderRequest request = tinyRequest();
        request.numInferenceSteps = 8;
        request.stepCache = cache;
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
    EXPECT_EQ(cache.cache, protocol::StepCache(1));
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

protocol::StepCache cacheOf(const std::string& text, std::vector<double> curve = {}) {
    protocol::StepCache cache = protocol::stepCacheFrom(text).value();
    cache.curve = std::move(curve);
    return cache;
}

TEST_F(StepCacheTest, OtherCachesSayWhichPassesTheySkipped) {
    const std::vector<double> flat(8, 1.0);
    for (const auto& [cache, perStep] :
         {std::pair{cacheOf("taylorseer:3"), std::vector<int>{0, 0, 0, 2, 0, 2, 2, 0}},
          {cacheOf("magcache:0.1", flat), {0, 0, 2, 2, 0, 2, 2, 0}},
          {cacheOf("teacache:0.1", {0.04}), {0, 2, 2, 0, 2, 2, 0, 0}}}) {
        const result::ClipResult read = rendered(requestWith(cache));
        ASSERT_TRUE(read.problems.empty()) << read.problems[0].message;
        ASSERT_TRUE(read.manifest.stepCache);
        EXPECT_EQ(read.manifest.stepCache->skippedPerStep, perStep) << textOf(cache);
        EXPECT_EQ(read.manifest.stepCache->cache, cache);
        EXPECT_EQ(read.manifest.attentionName(), "sdpa+" + stepCacheName(cache));
        std::uint64_t calls = 0;
        for (const protocol::CallRecord& call : read.manifest.attention) calls += call.calls;
        EXPECT_EQ(calls, std::uint64_t(4 * (16 - read.manifest.stepCache->skipped))) << textOf(cache);
    }
}

TEST_F(StepCacheTest, AThresholdOf0ChangesNoBit) {
    const std::string plain = rendered(requestWith(0)).manifest.framesSha256;
    for (const auto& cache : {cacheOf("taylorseer:1"), cacheOf("magcache:0", {1}),
                              cacheOf("teacache:0", {-1}), cacheOf("record")})
        EXPECT_EQ(rendered(requestWith(cache)).manifest.framesSha256, plain) << textOf(cache);
}

TEST_F(StepCacheTest, ARecordingHasTheChangeOfEveryStepButTheFirst) {
    const result::ClipResult read = rendered(requestWith(cacheOf("record")));
    EXPECT_FALSE(read.manifest.stepCache) << "nothing was skipped";
    const auto& changes = read.timing()->changes;
    ASSERT_EQ(changes.size(), 7U);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        EXPECT_EQ(changes[i].step, int(i) + 1);
        EXPECT_GT(changes[i].embedding, 0);
        EXPECT_GT(changes[i].added, 0);
        EXPECT_NEAR(changes[i].magnitude, 1, 0.9);
    }
}

TEST_F(StepCacheTest, WhatHasNoCoefficientsIsRefusedByName) {
    for (const char* text : {"teacache:0.1", "magcache:0.12"}) {
        const auto clip = m_renderer.render(requestWith(cacheOf(text)), {}, {});
        ASSERT_FALSE(clip);
        EXPECT_EQ(clip.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(clip.error().message, HasSubstr(std::string("--step-cache ") + text +
                                                    ": no coefficients are published for model"));
    }
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
