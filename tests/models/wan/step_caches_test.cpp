#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/models/layers/change_recorder.h"
#include "core/models/layers/mag_cache.h"
#include "core/models/layers/taylor_series.h"
#include "core/models/layers/tea_cache.h"
#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::wan {
namespace {

using nlohmann::json;

const std::string kTinyModel = REELGRID_SOURCE_DIR "/tests/fixtures/wan/two-layers";
const std::string kCalls = REELGRID_SOURCE_DIR "/tests/fixtures/wan/step-caches/calls";

/// Against diffusers' MagCache and TaylorSeer and TeaCache as its paper has it
/// (tests/fixtures/wan/make_step_cache_fixtures.py), which decide by themselves.
class StepCachesTest : public testing::Test {
  protected:
    [[nodiscard]] int steps() const { return int(m_about["timesteps"].size()); }
    [[nodiscard]] at::Tensor latents(int step) {
        return m_calls.require("latents." + std::to_string(step), {1, 4, 3, 6, 8});
    }
    [[nodiscard]] StepEmbedding embedding(int step) {
        return m_model.embedTimestep(m_about["timesteps"][std::size_t(step)]);
    }
    [[nodiscard]] std::vector<double> numbers(const char* name) { return m_about[name]; }
    [[nodiscard]] at::Tensor whole(int step) {
        return m_model.forward(latents(step), embedding(step), m_text, m_dispatcher);
    }
    [[nodiscard]] CachedPass passWith(BlockCache& cache, int step, Skip skip) {
        cache.beginStep(step);
        return m_model.forward(latents(step), embedding(step), m_text, m_dispatcher, cache, skip);
    }
    void expectReference(const at::Tensor& flow, const std::string& name, int step) {
        const at::Tensor reference =
            m_calls.require("flow." + name + "." + std::to_string(step), {1, 4, 3, 6, 8});
        EXPECT_LE((flow - reference).abs().max().item<double>(), 1e-5 * reference.abs().max().item<double>())
            << name << ", step " << step;
    }
    /// Steps from `from` to before `before` may skip; which do is the cache's decision and the reference's.
    void expectReference(BlockCache& cache, const std::string& name, int from, int before) {
        const json& skipped = m_about["skipped"][name];
        for (int step = 0; step < steps(); ++step) {
            const bool maySkip = step >= from && step < before;
            const CachedPass pass = passWith(cache, step, maySkip ? Skip::WhereClose : Skip::No);
            EXPECT_EQ(pass.skipped, skipped[std::size_t(step)].get<bool>()) << name << ", step " << step;
            expectReference(pass.prediction, name, step);
        }
    }

    weights::SafetensorsFolder m_weights{kTinyModel};
    weights::SafetensorsFolder m_calls{kCalls + ".safetensors"};
    json m_about = readJsonObject(kCalls + ".json").value();
    WanTransformer m_model{WanTransformerConfig::from(weights::ModelConfig::read(kTinyModel)),
                           weights::WeightScope(m_weights, at::kFloat)};
    PreparedText m_text = m_model.prepareText(m_calls.require("text", {1, 7, 32}));
    SdpaDispatcher m_dispatcher;
};

TEST_F(StepCachesTest, MagCacheSkipsAndPredictsWhatTheReferenceDoes) {
    for (const auto& [name, threshold, most] :
         {std::tuple{"magcache:0.05:1", 0.05, 1}, {"magcache:0.12:2", 0.12, 2}, {"magcache:0.4:3", 0.4, 3}}) {
        MagCache cache(threshold, most, numbers("ratios"));
        expectReference(cache, name, 3, steps());
    }
}

TEST_F(StepCachesTest, TeaCacheSkipsAndPredictsWhatItsPaperSays) {
    for (const auto& [name, threshold] : {std::pair{"teacache:0.1", 0.1}, {"teacache:0.3", 0.3}}) {
        TeaCache cache(threshold, numbers("polynomial"));
        expectReference(cache, name, 2, steps() - 1);
    }
}

TEST_F(StepCachesTest, TaylorSeerForetellsWhatTheReferenceDoes) {
    for (const auto& [name, interval, order] :
         {std::tuple{"taylorseer:2:1", 2, 1}, {"taylorseer:3:2", 3, 2}, {"taylorseer:5:0", 5, 0}}) {
        TaylorSeries series(order);
        for (int step = 0; step < steps(); ++step) {
            const bool isWhole = series.computes(step, interval);
            EXPECT_EQ(!isWhole, m_about["skipped"][name][std::size_t(step)].get<bool>()) << name << step;
            if (isWhole) series.keep(step, whole(step));
            expectReference(series.at(step), name, step);
        }
    }
}

TEST(TaylorSeries, OfASecondNetworkComputesThreeStepsOfItsOwnFirst) {
    TaylorSeries series(2);
    std::vector<int> computed;
    for (int step = 4; step < 14; ++step)
        if (series.computes(step, 3)) {
            computed.push_back(step);
            series.keep(step, at::full({1}, step));
        }
    EXPECT_EQ(computed, (std::vector{4, 5, 6, 8, 11}));
}

TEST_F(StepCachesTest, AThresholdOf0ChangesNoBit) {
    MagCache mag(0, 3, {1, 1, 1});
    TeaCache tea(0, {-1, 0});  // a polynomial below 0
    ChangeRecorder recorder([](const PassChange&) {});
    for (BlockCache* cache : {static_cast<BlockCache*>(&mag), static_cast<BlockCache*>(&tea),
                              static_cast<BlockCache*>(&recorder)})
        for (int step = 0; step < 4; ++step) {
            const CachedPass pass = passWith(*cache, step, Skip::WhereClose);
            EXPECT_FALSE(pass.skipped) << step;
            EXPECT_TRUE(at::equal(pass.prediction, whole(step))) << step;
        }
}

TEST_F(StepCachesTest, ASkippedPassAsksForNoAttention) {
    MagCache cache(1, 5, {});
    (void)passWith(cache, 0, Skip::No);
    m_dispatcher.sites.clear();
    EXPECT_TRUE(passWith(cache, 1, Skip::WhereClose).skipped);
    EXPECT_TRUE(m_dispatcher.sites.empty());
}

TEST_F(StepCachesTest, AreTakenUpWithTheSameBits) {
    const auto make = [&]() {
        std::vector<std::unique_ptr<BlockCache>> caches;
        caches.push_back(std::make_unique<MagCache>(0.4, 3, numbers("ratios")));
        caches.push_back(std::make_unique<TeaCache>(0.5, numbers("polynomial")));
        return caches;
    };
    const auto firsts = make(), seconds = make();
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        for (int step = 0; step < 4; ++step)
            (void)passWith(*firsts[i], step, step < 3 ? Skip::No : Skip::WhereClose);
        std::map<std::string, at::Tensor> saved;
        firsts[i]->save("a.", saved);
        seconds[i]->restore("a.", saved, at::kCPU);
        int skips = 0;
        for (int step = 4; step < 9; ++step) {
            const CachedPass one = passWith(*firsts[i], step, Skip::WhereClose);
            const CachedPass other = passWith(*seconds[i], step, Skip::WhereClose);
            EXPECT_EQ(one.skipped, other.skipped) << step;
            EXPECT_TRUE(at::equal(one.prediction, other.prediction)) << step;
            skips += int(one.skipped);
        }
        EXPECT_GT(skips, 0);
    }
    TaylorSeries series(2), later(2);
    for (const int step : {0, 1, 2}) series.keep(step, latents(step));
    std::map<std::string, at::Tensor> saved;
    series.save("t.", saved);
    later.restore("t.", saved, at::kCPU);
    EXPECT_TRUE(at::equal(series.at(5), later.at(5)));
    for (int step = 3; step < 9; ++step) EXPECT_EQ(series.computes(step, 3), later.computes(step, 3)) << step;
}

TEST_F(StepCachesTest, WhatIsRecordedIsMeasuredFromStepToStep) {
    std::vector<PassChange> changes;
    ChangeRecorder recorder([&](const PassChange& change) { changes.push_back(change); });
    const auto tokens = [](const std::vector<double>& values) {
        return at::tensor(values, at::kFloat).view({1, 2, 2});
    };
    recorder.beginStep(3);
    recorder.keep(at::tensor({1.0, 3.0}), tokens({3, 4, 0, 1}));
    EXPECT_TRUE(changes.empty());
    recorder.beginStep(4);
    recorder.keep(at::tensor({2.0, 3.0}), tokens({6, 8, 0, 1}));
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].step, 4);
    EXPECT_NEAR(changes[0].embedding, 0.25, 1e-6);
    EXPECT_NEAR(changes[0].added, 7.0 / 8, 1e-6);
    EXPECT_NEAR(changes[0].magnitude, 1.5, 1e-6) << "tokens of norm 10 / 5 and 1 / 1";
}

TEST(NearestCurve, IsDiffusers) {
    // diffusers 0.40: mag_cache.nearest_interp
    EXPECT_THAT(nearestCurve({1, 2, 3, 4}, 7), testing::ElementsAre(1, 1, 2, 3, 3, 3, 4));
    EXPECT_THAT(nearestCurve({1, 2, 3, 4}, 2), testing::ElementsAre(1, 4));
    EXPECT_THAT(nearestCurve({1, 2, 3, 4}, 1), testing::ElementsAre(4));
}

}  // namespace
}  // namespace reelgrid::models::wan
