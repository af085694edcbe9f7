#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/models/cogvideox/transformer.h"
#include "core/models/layers/first_block_cache.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::cogvideox {
namespace {

using nlohmann::json;

const std::string kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/cogvideox/";

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

/// A tiny transformer of one form, and what diffusers' cache made of it.
class CogVideoXFirstBlockCache : public testing::TestWithParam<std::string> {
  protected:
    [[nodiscard]] at::Tensor read(const std::string& name, at::IntArrayRef shape) {
        return m_calls.require(GetParam() + "." + name, shape);
    }
    [[nodiscard]] CogVideoXTransformer load(at::ScalarType dtype) const {
        weights::SafetensorsFolder source(m_folder);
        return {m_config, weights::WeightScope(source, dtype)};
    }
    [[nodiscard]] at::Tensor textOf(const CogVideoXTransformer& model) {
        return model.prepareText(read("text", {1, m_config.maxTextSeqLength, m_config.textEmbedDim}));
    }
    [[nodiscard]] double timestep(std::size_t step) const { return m_about["timesteps"][step]; }

    std::string m_folder = kFixtures + GetParam() + "/transformer";
    CogVideoXTransformerConfig m_config =
        CogVideoXTransformerConfig::from(weights::ModelConfig::read(m_folder));
    weights::SafetensorsFolder m_calls{kFixtures + "first-block-cache/calls.safetensors"};
    json m_about = readJsonObject(kFixtures + "first-block-cache/calls.json").value();
    at::Tensor m_latents = read("latents", {1, m_config.inChannels, 2, 4, 6});
    wan::SdpaDispatcher m_dispatcher;
};

/// Which guesses as we do until two passes have run whole. Which passes are skipped is the reference's
/// choice.
TEST_P(CogVideoXFirstBlockCache, PredictsWhatTheReferenceDoesAfterOneWholePass) {
    CogVideoXTransformer model = load(at::kFloat);
    const at::Tensor text = textOf(model);
    int skips = 0;
    for (const auto& [threshold, skipped] : m_about["skipped"][GetParam()].items()) {
        FirstBlockCache cache(std::stod(threshold));
        int whole = 0;
        for (std::size_t step = 0; step < skipped.size(); ++step) {
            const std::string call = threshold + "." + std::to_string(step);
            const bool skip = skipped[step];
            const auto pass = model.forward(m_latents, model.embedTimestep(timestep(step)), text,
                                            m_dispatcher, cache, skip ? Skip::Yes : Skip::No);
            whole += int(!skip);
            if (skip && whole > 1) continue;
            const at::Tensor reference = read(call, {1, m_config.outChannels, 2, 4, 6});
            EXPECT_LE(largest(pass.prediction - reference), 1e-5 * largest(reference)) << call;
            skips += int(skip);
        }
    }
    EXPECT_GE(skips, 5);
}

TEST_P(CogVideoXFirstBlockCache, APassThatIsNotSkippedHasTheSameBits) {
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
        CogVideoXTransformer model = load(dtype);
        const at::Tensor text = textOf(model);
        FirstBlockCache cache(1e-9);
        for (std::size_t step = 0; step < 3; ++step) {
            const StepEmbedding embedding = model.embedTimestep(timestep(step));
            const auto cached = model.forward(m_latents, embedding, text, m_dispatcher, cache);
            EXPECT_FALSE(cached.skipped);
            EXPECT_TRUE(at::equal(cached.prediction, model.forward(m_latents, embedding, text, m_dispatcher)))
                << dtype;
        }
    }
}

TEST_P(CogVideoXFirstBlockCache, ASkippedPassAsksForTheFirstLayersAttentionAlone) {
    CogVideoXTransformer model = load(at::kFloat);
    const at::Tensor text = textOf(model);
    const StepEmbedding embedding = model.embedTimestep(700);
    FirstBlockCache cache(0.5);
    const auto whole = model.forward(m_latents, embedding, text, m_dispatcher, cache);
    m_dispatcher.sites.clear();
    const auto again = model.forward(m_latents, embedding, text, m_dispatcher, cache);
    EXPECT_TRUE(again.skipped);
    EXPECT_LE(largest(again.prediction - whole.prediction), 1e-5 * largest(whole.prediction));
    ASSERT_EQ(m_dispatcher.sites.size(), 1U);
    EXPECT_EQ(m_dispatcher.sites[0].layer, 0);
}

TEST_P(CogVideoXFirstBlockCache, IsTakenUpWithTheSameBits) {
    CogVideoXTransformer model = load(at::kFloat);
    const at::Tensor text = textOf(model);
    FirstBlockCache first(0.9), second(0.9);
    for (const double step : {999.0, 998.0})
        (void)model.forward(m_latents, model.embedTimestep(step), text, m_dispatcher, first, Skip::No);
    std::map<std::string, at::Tensor> saved;
    first.save("a.", saved);
    std::uint64_t bytes = 0;
    for (const auto& [name, tensor] : saved)
        if (tensor.dim() == 3) bytes += tensor.nbytes();
    const std::int64_t tokens = 2 / m_config.patchFrames() * 2 * 3, channels = m_config.innerDim();
    EXPECT_EQ(firstBlockCacheBytes(tokens, channels, 2) - firstBlockCacheBytes(tokens, channels, 1), bytes);
    second.restore("a.", saved, at::kCPU);
    const StepEmbedding next = model.embedTimestep(997.99);
    const auto one = model.forward(m_latents, next, text, m_dispatcher, first, Skip::Yes);
    const auto other = model.forward(m_latents, next, text, m_dispatcher, second);
    EXPECT_TRUE(other.skipped);
    EXPECT_TRUE(at::equal(one.prediction, other.prediction));
}

INSTANTIATE_TEST_SUITE_P(Forms, CogVideoXFirstBlockCache, testing::Values("2b", "5b", "1.5-i2v"));

}  // namespace
}  // namespace reelgrid::models::cogvideox
