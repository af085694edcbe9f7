#include <gtest/gtest.h>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_catalog.h"
#include "core/machine/local_machine.h"
#include "core/models/wan/lora_names.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/lora.h"
#include "core/weights/lora_names.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/wan/variant_model.h"

namespace reelgrid::models {
namespace {

namespace fs = std::filesystem;

// LoRAs of tiny models as diffusers and peft save them, and the weights that these merge
// (tests/fixtures/lora/make_lora_fixtures.py).
const fs::path kFixtures = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures";

struct LoraFamily {
    const char* name;
    const char* transformer;
    weights::LoraNames names;
};

class LoraParity : public testing::TestWithParam<LoraFamily> {};

TEST_P(LoraParity, MergesWhatDiffusersAndPeftMerge) {
    for (const char* settings : {"alpha", "rslora", "patterns", "bias"})
        for (const char* file : {"pipeline", "model", "adapter_model"}) {
            SCOPED_TRACE(std::string(settings) + ", " + file);
            const fs::path folder = kFixtures / "lora" / GetParam().name / settings;
            weights::LoraWeights merged(
                std::make_unique<weights::SafetensorsFolder>(kFixtures / GetParam().transformer),
                {{folder / (std::string(file) + ".safetensors"), 1}}, GetParam().names);
            weights::SafetensorsFolder expected(folder / "merged.safetensors");
            weights::SafetensorsFolder plain(kFixtures / GetParam().transformer);
            int changed = 0;
            for (const std::string& name : expected.names()) {
                const auto shape = *expected.shapeOf(name);
                const at::Tensor reference = expected.require(name, shape);
                // Stored in bf16, and so merged; the reference has taken them to fp32 before.
                const at::Tensor stored = plain.require(name, shape);
                const at::Tensor difference = merged.require(name, shape).to(at::kFloat) - reference;
                EXPECT_LE((difference.abs() / (reference.abs() + 1e-3)).max().item<double>(), 1.0 / 256)
                    << name;
                if ((reference - stored.to(at::kFloat)).abs().max().item<double>() > 0.1) ++changed;
            }
            EXPECT_GE(changed, 6);
            merged.requireAllTaken();
        }
}

INSTANTIATE_TEST_SUITE_P(Families, LoraParity,
                         testing::Values(LoraFamily{"wan", "wan/tiny-pipeline/transformer", wan::loraNames},
                                         LoraFamily{"cogvideox", "cogvideox/5b/transformer",
                                                    weights::transformerLoraNames}),
                         [](const auto& family) { return std::string(family.param.name); });

TEST(LoraParityOfALoop, LatentsAreDiffusers) {
    const c10::InferenceMode inference;
    const families::ModelInfo model = catalog::findModel((kFixtures / "wan/tiny-pipeline").string()).value();
    protocol::RenderRequest request;
    request.prompt = "a red car drives to the right";
    request.negativePrompt = "blurry";
    request.height = 32;
    request.width = 48;
    request.numFrames = 9;
    request.numInferenceSteps = 4;
    request.guidanceScale = 5.0;
    request.dtype = "fp32";
    const auto settings = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
    pipeline::LoadChoices choices;
    choices.lora = {(kFixtures / "lora/wan/alpha/pipeline.safetensors").string()};
    const auto video = pipeline::loadModel(model, choices, {});
    const auto attention = attention::makeDispatcher("sdpa").value();
    denoising::StageClock clock({}, {});
    const at::Tensor latents = denoising::denoise(*video, settings, *attention, clock);
    weights::SafetensorsFolder expected(kFixtures / "lora/wan/latents.safetensors");
    const at::Tensor reference = expected.require("latents", latents.sizes());
    // A strength of 1 in place of 4 is off by 0.7 here; the rest is the rounding of merged weights to bf16.
    EXPECT_LE(((latents - reference).norm() / reference.norm()).item<double>(), 0.02);
}

TEST(LoraOfTwoExperts, GoesIntoBothOrTheFirstAlone) {
    const c10::InferenceMode inference;
    const wan::VariantModel experts("t2v-experts");
    const fs::path file = experts.folder() / "lora.safetensors";
    weights::SafetensorsFolder transformer(experts.folder() / "transformer");
    const std::int64_t channels = transformer.shapeOf("blocks.0.attn1.to_q.weight")->front();
    weights::writeSafetensors(file,
                              {{"transformer.blocks.0.attn1.to_q.lora_A.weight", at::ones({1, channels})},
                               {"transformer.blocks.0.attn1.to_q.lora_B.weight", at::ones({channels, 1})}})
        .value();
    const families::ModelInfo model = catalog::findModel(experts.folder().string()).value();
    const auto settings = catalog::resolveSettings(wan::variantRequest("t2v-experts", "expected"), model,
                                                   machine::LocalMachine().now())
                              .value();
    const auto latentsWith = [&](std::vector<std::string> first, std::vector<std::string> second) {
        pipeline::LoadChoices choices;
        choices.lora = std::move(first);
        choices.lora2 = std::move(second);
        const auto video = pipeline::loadModel(model, choices, {});
        const auto attention = attention::makeDispatcher("sdpa").value();
        denoising::StageClock clock({}, {});
        return denoising::denoise(*video, settings, *attention, clock);
    };
    const at::Tensor both = latentsWith({file.string()}, {}), first = latentsWith({file.string()}, {"none"});
    EXPECT_TRUE(at::equal(both, latentsWith({file.string()}, {file.string()})));
    EXPECT_FALSE(at::equal(first, both));
    EXPECT_FALSE(at::equal(first, latentsWith({}, {})));
}

}  // namespace
}  // namespace reelgrid::models
