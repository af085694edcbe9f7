#include "core/denoising/guided_passes.h"

#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/base/result.h"
#include "core/models/layers/first_block_cache.h"

namespace reelgrid::denoising {
namespace {

using attention::GuidanceBranch;
using models::Skip;
using testing::ElementsAre;

/// Predicts 3 · input with the prompt and 1 · input without, and notes how it was called.
class Noting final : public GuidedModel {
  public:
    void beginStep(const at::Tensor& input, double timestep) override {
        m_input = input;
        timesteps.push_back(timestep);
    }
    std::vector<at::Tensor*> stepTensors() override { return {&m_input}; }
    at::Tensor forward(GuidanceBranch branch, const attention::LayerContext&) override {
        branches.push_back(branch);
        return m_input * (branch == GuidanceBranch::Conditional ? 3 : 1);
    }
    models::CachedPass forward(GuidanceBranch branch, const attention::LayerContext& context,
                               models::BlockCache&, Skip skip) override {
        skips.push_back(skip);
        // The first block of the conditional pass is always close.
        const bool skipped = skip == Skip::Yes || (skip == Skip::WhereClose);
        return {forward(branch, context), skipped};
    }

    std::vector<double> timesteps;
    std::vector<GuidanceBranch> branches;
    std::vector<Skip> skips;

  private:
    at::Tensor m_input;
};

class GuidedPassesTest : public testing::Test {
  protected:
    at::Tensor predict(Guidance guidance, int step = 0) {
        GuidedPasses passes(m_model, std::move(guidance), {}, m_clock);
        return passes.predict(m_input, 500, step, *m_attention);
    }

    Noting m_model;
    StageClock m_clock{{}, {}};
    std::unique_ptr<attention::Dispatcher> m_attention = attention::makeDispatcher("sdpa").value();
    at::Tensor m_input = at::arange(1, 5, at::kFloat).view({1, 2, 2});
};

TEST_F(GuidedPassesTest, ScaleTheDifferenceOfBothPasses) {
    const at::Tensor guided = predict({.scale = [](int) { return 2.5; }});
    EXPECT_TRUE(at::equal(guided, m_input + 2.5 * (3 * m_input - m_input)));
    EXPECT_THAT(m_model.branches, ElementsAre(GuidanceBranch::Conditional, GuidanceBranch::Unconditional));
    EXPECT_THAT(m_model.timesteps, ElementsAre(500)) << "once a step";
}

TEST_F(GuidedPassesTest, RunOnePassWithoutGuidance) {
    EXPECT_TRUE(at::equal(predict({}), 3 * m_input));
    EXPECT_THAT(m_model.branches, ElementsAre(GuidanceBranch::Conditional));
}

TEST_F(GuidedPassesTest, TakeAScaleForEachStepAndForEachFrame) {
    const auto growing = [](int step) { return step + 1.0; };
    EXPECT_TRUE(at::equal(predict({.scale = growing}, 3), m_input + 4.0 * (2 * m_input)));
    const at::Tensor perFrame = at::tensor({1.0f, 3.0f}).view({1, 2, 1});
    const at::Tensor guided = predict({.scale = [&](int) { return perFrame; }});
    EXPECT_TRUE(at::equal(guided, m_input + perFrame * (2 * m_input)));
}

TEST_F(GuidedPassesTest, LetTheFirstPassDecideForBothWhetherToSkip) {
    const Guidance cached{.scale = [](int) { return 2.0; }, .stepCache = 0.1, .stepCacheFrom = 2};
    (void)predict(cached, 1);
    EXPECT_THAT(m_model.skips, ElementsAre(Skip::No, Skip::No)) << "before the steps that may skip";
    m_model.skips.clear();
    (void)predict(cached, 2);
    EXPECT_THAT(m_model.skips, ElementsAre(Skip::WhereClose, Skip::Yes));
}

TEST_F(GuidedPassesTest, SayThatAFamilyKnowsNoStepCache) {
    class Uncached final : public GuidedModel {
        using GuidedModel::forward;
        void beginStep(const at::Tensor&, double) override {}
        std::vector<at::Tensor*> stepTensors() override { return {}; }
        at::Tensor forward(GuidanceBranch, const attention::LayerContext&) override { return {}; }
    } model;
    GuidedPasses passes(model, {.stepCache = 0.1}, {}, m_clock);
    EXPECT_THROW((void)passes.predict(m_input, 0, 0, *m_attention), Failure);
}

TEST(Guidance, IsWhatTheRequestSays) {
    catalog::RenderSettings settings;
    settings.guidanceScale = 1.0;
    settings.numInferenceSteps = 20;
    EXPECT_FALSE(Guidance::from(settings).scale);
    settings.guidanceScale = 6.5;
    settings.stepCache = 0.2;
    settings.useTorchCompile = true;
    const Guidance guidance = Guidance::from(settings);
    EXPECT_EQ(std::get<double>(guidance.scale(7)), 6.5);
    EXPECT_EQ(guidance.stepCache, 0.2);
    EXPECT_EQ(guidance.stepCacheFrom, models::firstStepThatMaySkip(20));
    EXPECT_EQ(guidance.passes, Guidance::Passes::Graphed);
}

}  // namespace
}  // namespace reelgrid::denoising
