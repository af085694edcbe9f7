// A step cache leaves out all blocks but the first of some passes, while a window of blocks brings each one
// just in time: the two together give the bits that held blocks give.

#include <array>

#include "core/attention/make_dispatcher.h"
#include "core/models/cogvideox/transformer.h"
#include "core/models/layers/first_block_cache.h"
#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"
#include "core/weights/renamed_weights.h"
#include "core/weights/safetensors_folder.h"
#include "tests/gpu/gpu.h"

namespace reelgrid::models {
namespace {

const std::string kFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/";
/// More than a window holds; the fixtures have two, which take turns.
constexpr int kLayers = 5;
constexpr std::array kSkips{Skip::No, Skip::No, Skip::Yes, Skip::Yes, Skip::No, Skip::Yes, Skip::No};

/// The folder's weights; `prefix` 2 … 4 are its 0 and 1 again.
weights::RenamedWeights weightsOfMoreLayers(const std::string& folder, const std::string& prefix) {
    return {std::make_unique<weights::SafetensorsFolder>(folder), [prefix](const std::string& name) {
                if (!name.starts_with(prefix)) return name;
                const std::size_t dot = name.find('.', prefix.size());
                const int layer = std::stoi(name.substr(prefix.size(), dot - prefix.size()));
                return prefix + std::to_string(layer % 2) + name.substr(dot);
            }};
}

template <class Config>
Config withMoreLayers(const std::string& folder) {
    auto config = Config::from(weights::ModelConfig::read(folder));
    config.numLayers = kLayers;
    return config;
}

class StepCacheOnGpu : public OnGpu {
  protected:
    at::Tensor onGpu(const at::Tensor& tensor) { return tensor.to(gpu.device); }

    std::vector<at::Tensor> wan(BlockResidence residence) {
        const std::string folder = kFixtures + "wan/two-layers";
        weights::SafetensorsFolder io(folder + "/io");
        const auto config = withMoreLayers<wan::WanTransformerConfig>(folder);
        auto source = weightsOfMoreLayers(folder, "blocks.");
        wan::WanTransformer model(config, weights::WeightScope(source, at::kBFloat16, gpu.device),
                                  {.blocks = {.residence = residence}});
        return passes(model, onGpu(io.require("0.latents", {1, 4, 3, 6, 8})),
                      model.prepareText(onGpu(io.require("0.text", {1, 7, config.textDim}))),
                      &CachedPass::prediction);
    }

    std::vector<at::Tensor> cogvideox(BlockResidence residence) {
        const std::string folder = kFixtures + "cogvideox/5b/transformer";
        weights::SafetensorsFolder io(kFixtures + "cogvideox/5b/calls.safetensors");
        const auto config = withMoreLayers<cogvideox::CogVideoXTransformerConfig>(folder);
        auto source = weightsOfMoreLayers(folder, "transformer_blocks.");
        cogvideox::CogVideoXTransformer model(config, weights::WeightScope(source, at::kBFloat16, gpu.device),
                                              {.residence = residence});
        const at::Tensor text =
            onGpu(io.require("0.text", {1, config.maxTextSeqLength, config.textEmbedDim}));
        return passes(model, onGpu(io.require("0.latents", {1, 4, 3, 4, 6})), model.prepareText(text),
                      &CachedPass::prediction);
    }

    /// What each pass predicts: `prediction` of what the model's pass with a cache came to.
    template <class Model, class Text, class Pass>
    std::vector<at::Tensor> passes(Model& model, const at::Tensor& latents, const Text& text,
                                   at::Tensor Pass::*prediction) {
        const auto dispatcher = attention::makeDispatcher(attention::Policy("sdpa"), gpu).value();
        FirstBlockCache cache(0.5);
        std::vector<at::Tensor> predicted;
        for (const Skip skip : kSkips) {
            const auto step = static_cast<double>(predicted.size());
            const Pass pass =
                model.forward(latents, model.embedTimestep(900 - 60 * step), text, *dispatcher, cache, skip);
            EXPECT_EQ(pass.skipped, skip == Skip::Yes) << step;
            predicted.push_back((pass.*prediction).cpu());
        }
        return predicted;
    }

    static void expectTheSame(const std::vector<at::Tensor>& held, const std::vector<at::Tensor>& window) {
        ASSERT_EQ(held.size(), kSkips.size());
        for (std::size_t step = 0; step < held.size(); ++step) {
            EXPECT_TRUE(held[step].isfinite().all().item<bool>()) << step;
            EXPECT_TRUE(at::equal(held[step], window[step])) << step;
        }
        EXPECT_FALSE(at::equal(held[1], held[2])) << "nothing changed between the steps";
    }
};

TEST_F(StepCacheOnGpu, OverAWindowOfWansBlocksGivesTheBitsOfHeldOnes) {
    const auto held = wan(BlockResidence::Held);
    for (int run = 0; run < 5; ++run) expectTheSame(held, wan(BlockResidence::Windowed));
}

TEST_F(StepCacheOnGpu, OverAWindowOfCogVideoXsBlocksGivesTheBitsOfHeldOnes) {
    const auto held = cogvideox(BlockResidence::Held);
    for (int run = 0; run < 5; ++run) expectTheSame(held, cogvideox(BlockResidence::Windowed));
}

}  // namespace
}  // namespace reelgrid::models
