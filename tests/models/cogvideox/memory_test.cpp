#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/models/cogvideox/family_model.h"
#include "core/models/cogvideox/transformer.h"
#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/cogvideox/tiny_model.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::cogvideox {
namespace {

using denoising::Encoders;
using denoising::Offload;

/// Two passes of a tiny transformer whose blocks were loaded so.
at::Tensor velocityOf(const std::string& form, const BlockOptions& options, at::ScalarType dtype,
                      TimeProducts timeProducts = TimeProducts::Fp32) {
    const c10::InferenceMode inference;
    const auto folder = kFixtures / form / "transformer";
    const auto config = CogVideoXTransformerConfig::from(weights::ModelConfig::read(folder));
    weights::SafetensorsFolder source(folder);
    CogVideoXTransformer model(config, weights::WeightScope(source, dtype), options, timeProducts);
    at::manual_seed(11);
    const at::Tensor latents = at::randn({1, config.inChannels, 2 * config.patchFrames(), 6, 8});
    const at::Tensor text = model.prepareText(at::randn({1, config.maxTextSeqLength, config.textEmbedDim}));
    wan::SdpaDispatcher dispatcher;
    const at::Tensor first = model.forward(latents, model.embedTimestep(900), text, dispatcher);
    latents.narrow(1, 0, first.size(1)).add_(first);
    return model.forward(latents, model.embedTimestep(300), text, dispatcher);
}

TEST(CogVideoXBlocks, GiveTheSameBitsWhereverTheirWeightsLie) {
    for (const std::string form : {"2b", "5b", "1.5-i2v"})
        for (const auto dtype : {at::kFloat, at::kBFloat16})
            for (const auto products : {LinearProducts::AsStored, LinearProducts::Fp8}) {
                BlockOptions options{.products = products};
                const at::Tensor held = velocityOf(form, options, dtype);
                for (const auto residence : {BlockResidence::Windowed, BlockResidence::Streamed}) {
                    options.residence = residence;
                    EXPECT_TRUE(at::equal(velocityOf(form, options, dtype), held)) << form;
                }
            }
}

TEST(CogVideoXBlocks, InFp8AreCloseToWhatTheyWereAndNotTheSame) {
    const at::Tensor exact = velocityOf("5b", {}, at::kFloat);
    const at::Tensor rounded = velocityOf("5b", {.products = LinearProducts::Fp8}, at::kFloat);
    const double error = ((rounded - exact).norm() / exact.norm()).item<double>();
    EXPECT_GT(error, 1e-4);
    EXPECT_LT(error, 0.1);
}

TEST(CogVideoXTimeEmbedding, InBf16ChangesATransformerByItsRoundingAlone) {
    for (const std::string form : {"2b", "1.5-i2v"}) {
        const at::Tensor exact = velocityOf(form, {}, at::kFloat);
        const at::Tensor rounded = velocityOf(form, {}, at::kFloat, TimeProducts::Bf16);
        const double error = ((rounded - exact).norm() / exact.norm()).item<double>();
        EXPECT_GT(error, 1e-6) << form;
        EXPECT_LT(error, 0.02) << form;
    }
}

/// Every parameter of every published size is counted.
TEST(CogVideoXMemory, CountsTheParametersOfEveryOfficialTransformer) {
    std::ifstream stream(kFixtures / "official_parameters.json");
    const auto list = nlohmann::json::parse(stream);
    int models = 0;
    for (const auto& [name, model] : list.items()) {
        if (!model.contains("block")) continue;
        const auto config = CogVideoXTransformerConfig::from(weights::ModelConfig(model["config"], name));
        const auto count = [](const nlohmann::json& part) {
            std::int64_t sum = 0;
            for (const auto& [parameter, shape] : part.items())
                sum += c10::multiply_integers(shape.get<std::vector<std::int64_t>>());
            return sum;
        };
        const std::int64_t elements = count(model["rest"]) + config.numLayers * count(model["block"]);
        EXPECT_EQ(CogVideoXTransformer::weightBytes(config, at::kFloat, at::kCPU, {}),
                  std::uint64_t(elements) * sizeof(float))
            << name;
        const auto blocks = [&](BlockResidence residence) {
            return CogVideoXTransformer::weightBytes(config, at::kBFloat16, at::kCPU,
                                                     {.residence = residence});
        };
        const std::uint64_t one = blocks(BlockResidence::Windowed) - blocks(BlockResidence::Streamed);
        EXPECT_EQ(blocks(BlockResidence::Held) - blocks(BlockResidence::Streamed),
                  one * std::uint64_t(config.numLayers - 1));
        // But for norms, which stay fp32, half of what fp32 takes.
        EXPECT_NEAR(double(blocks(BlockResidence::Held)) / (double(elements) * 2), 1, 0.001) << name;
        ++models;
    }
    EXPECT_EQ(models, 5);
}

class CogVideoXForecast : public testing::Test {
  protected:
    TinyModel m_tiny{"5b"};
    families::ModelInfo m_model = catalog::readModelFolder(m_tiny.folder()).value();

    [[nodiscard]] std::uint64_t peak(Offload offload, Encoders encoders, const char* tiling) const {
        protocol::RenderRequest request = tinyRequest("5b", "expected");
        request.width = 1280;
        request.height = 720;
        request.vaeTiling = tiling;
        return familyModel()
            .forecast(m_model,
                      catalog::resolveSettings(request, m_model, machine::LocalMachine().now()).value(),
                      {.offload = offload, .encoders = encoders}, std::uint64_t{1} << 40)
            .peak;
    }
};

TEST_F(CogVideoXForecast, NeedsLessWithLessHeld) {
    EXPECT_LT(peak(Offload::None, Encoders::FreedAfterUse, "off"),
              peak(Offload::None, Encoders::Kept, "off"));
    EXPECT_LT(peak(Offload::Blocks, Encoders::FreedAfterUse, "off"),
              peak(Offload::None, Encoders::FreedAfterUse, "off"));
    EXPECT_LT(peak(Offload::None, Encoders::Kept, "on"), peak(Offload::None, Encoders::Kept, "off"));
}

TEST_F(CogVideoXForecast, StreamedBlocksAndAFreedEncoderMakeTheSameFrames) {
    protocol::RenderRequest request = tinyRequest("5b", "expected");
    request.model = m_tiny.folder().string();
    request.output = (m_tiny.folder() / "clip.mp4").string();
    pipeline::Renderer renderer;
    const auto manifestOf = [&](const char* offload, bool inFp8) {
        request.offload = offload;
        request.useFp8Gemms = inFp8;
        const auto clip = renderer.render(request, {}, {});
        EXPECT_TRUE(clip) << (clip ? "" : clip.error().message);
        return result::readClipResult(request.output).manifest;
    };
    const result::Manifest held = manifestOf("none", false), streamed = manifestOf("blocks", false);
    EXPECT_EQ(streamed.memory->offload, "blocks");
    EXPECT_LT(*streamed.memory->predictedPeak, *held.memory->predictedPeak);
    EXPECT_EQ(streamed.framesSha256, held.framesSha256);
    EXPECT_EQ(manifestOf("blocks", false).framesSha256, held.framesSha256) << "with embeddings that stayed";
    const result::Manifest inFp8 = manifestOf("none", true);
    ASSERT_TRUE(inFp8.gemms);
    EXPECT_EQ(inFp8.gemms->used, "fp32");
    EXPECT_NE(inFp8.framesSha256, held.framesSha256);
}

}  // namespace
}  // namespace reelgrid::models::cogvideox
