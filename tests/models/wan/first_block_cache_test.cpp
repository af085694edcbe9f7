#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/models/layers/first_block_cache.h"
#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::wan {
namespace {

using nlohmann::json;

const std::string kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/wan/";

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

class FirstBlockCacheTest : public testing::Test {
  protected:
    [[nodiscard]] at::Tensor read(const std::string& name, at::IntArrayRef shape) {
        return m_calls.require(name, shape);
    }
    [[nodiscard]] at::Tensor latents(int step) {
        return read("latents." + std::to_string(step), {1, 4, 3, 6, 8});
    }

    weights::SafetensorsFolder m_weights{kFixtures + "two-layers"};
    weights::SafetensorsFolder m_calls{kFixtures + "first-block-cache/calls.safetensors"};
    json m_about = readJsonObject(kFixtures + "first-block-cache/calls.json").value();
    WanTransformer m_model{WanTransformerConfig::from(weights::ModelConfig::read(kFixtures + "two-layers")),
                           weights::WeightScope(m_weights, at::kFloat)};
    SdpaDispatcher m_dispatcher;
};

/// Which guesses as we do until two passes have run whole. Which passes are skipped is the reference's
/// choice.
TEST_F(FirstBlockCacheTest, PredictsWhatTheReferenceDoesAfterOneWholePass) {
    int skips = 0;
    for (const auto& [threshold, passes] : m_about["skipped"].items())
        for (const auto& [pass, skipped] : passes.items()) {
            FirstBlockCache cache(std::stod(threshold));
            const PreparedText text = m_model.prepareText(read("text." + pass, {1, 7, 32}));
            int whole = 0;
            for (std::size_t step = 0; step < skipped.size(); ++step) {
                const std::string call = threshold + "." + pass + "." + std::to_string(step);
                const bool skip = skipped[step];
                const auto flow =
                    m_model.forward(latents(int(step)), m_model.embedTimestep(m_about["timesteps"][step]),
                                    text, m_dispatcher, cache, skip ? Skip::Yes : Skip::No);
                whole += int(!skip);
                if (skip && whole > 1) continue;
                const at::Tensor reference = read("flow." + call, {1, 4, 3, 6, 8});
                EXPECT_LE(largest(flow.prediction - reference), 1e-5 * largest(reference)) << call;
                skips += int(skip);
            }
        }
    EXPECT_EQ(skips, 14);
}

TEST_F(FirstBlockCacheTest, APassThatIsNotSkippedHasTheSameBits) {
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
        weights::SafetensorsFolder weights(kFixtures + "two-layers");
        WanTransformer model(m_model.config(), weights::WeightScope(weights, dtype));
        FirstBlockCache cache(1e-9);
        const PreparedText text = model.prepareText(read("text.conditional", {1, 7, 32}));
        for (int step = 0; step < 3; ++step) {
            const StepEmbedding embedding = model.embedTimestep(m_about["timesteps"][std::size_t(step)]);
            const auto cached = model.forward(latents(step), embedding, text, m_dispatcher, cache);
            EXPECT_FALSE(cached.skipped);
            EXPECT_TRUE(
                at::equal(cached.prediction, model.forward(latents(step), embedding, text, m_dispatcher)))
                << dtype;
        }
    }
}

TEST_F(FirstBlockCacheTest, ASkippedPassAsksForTheFirstLayersAttentionAlone) {
    FirstBlockCache cache(0.5);
    const PreparedText text = m_model.prepareText(read("text.conditional", {1, 7, 32}));
    const StepEmbedding embedding = m_model.embedTimestep(700);
    const auto whole = m_model.forward(latents(0), embedding, text, m_dispatcher, cache);
    m_dispatcher.sites.clear();
    const auto again = m_model.forward(latents(0), embedding, text, m_dispatcher, cache);
    EXPECT_TRUE(again.skipped);
    EXPECT_LE(largest(again.prediction - whole.prediction), 1e-5 * largest(whole.prediction));
    ASSERT_EQ(m_dispatcher.sites.size(), 2U);
    for (const auto& site : m_dispatcher.sites) EXPECT_EQ(site.layer, 0);
}

/// Tokens of a frame that is given are at a timestep of their own.
TEST_F(FirstBlockCacheTest, StandsForTokensOfTwoTimestepsAlike) {
    FirstBlockCache cache(0.5);
    const PreparedText text = m_model.prepareText(read("text.conditional", {1, 7, 32}));
    const StepEmbedding embedding = m_model.embedTimesteps(12, 0, 700);
    const auto whole = m_model.forward(latents(0), embedding, text, m_dispatcher, cache);
    const auto again = m_model.forward(latents(0), embedding, text, m_dispatcher, cache);
    EXPECT_TRUE(again.skipped);
    EXPECT_LE(largest(again.prediction - whole.prediction), 1e-5 * largest(whole.prediction));
}

TEST_F(FirstBlockCacheTest, IsTakenUpWithTheSameBits) {
    const PreparedText text = m_model.prepareText(read("text.conditional", {1, 7, 32}));
    FirstBlockCache first(0.3);
    for (const int step : {0, 1})
        (void)m_model.forward(latents(step), m_model.embedTimestep(999 - step), text, m_dispatcher, first,
                              Skip::No);
    std::map<std::string, at::Tensor> saved;
    first.save("a.", saved);
    FirstBlockCache second(0.3);
    second.restore("a.", saved, at::kCPU);
    const StepEmbedding next = m_model.embedTimestep(997.9);
    const auto one = m_model.forward(latents(2), next, text, m_dispatcher, first);
    const auto other = m_model.forward(latents(2), next, text, m_dispatcher, second);
    EXPECT_TRUE(one.skipped);
    EXPECT_TRUE(other.skipped);
    EXPECT_TRUE(at::equal(one.prediction, other.prediction));
}

}  // namespace
}  // namespace reelgrid::models::wan
