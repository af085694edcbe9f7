#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_folder.h"
#include "core/catalog/render_settings.h"
#include "core/machine/local_machine.h"
#include "core/models/animatediff/lora_names.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/animatediff/tiny_model.h"

namespace reelgrid::models::animatediff {
namespace {

const std::filesystem::path kLoras = kFixtures / "lora";

at::Tensor latentsWith(const std::vector<std::string>& loras) {
    const c10::InferenceMode inference;
    const TinyModel tiny(TinyModel::Motion::Inside);
    const auto model = catalog::readModelFolder(tiny.folder()).value();
    protocol::RenderRequest request = tinyRequest("ddim");
    request.lora = loras;
    const auto settings = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
    const auto video = pipeline::loadModel(model, {.lora = loras}, {});
    const auto attention = attention::makeDispatcher("sdpa").value();
    denoising::StageClock clock({}, {});
    return denoising::denoise(*video, settings, *attention, clock);
}

struct LoraCase {
    const char* file;
    const char* expected;
};

TEST(AnimateDiffLora, RendersWhatDiffusersRendersUnderEveryToolsNames) {
    for (const auto& [file, expected] : {LoraCase{"kohya", "kohya"},
                                         {"image", "image"},
                                         {"image-settings", "image-settings"},
                                         {"motion", "motion"},
                                         {"motion-old", "motion"},
                                         {"motion-authors", "motion"}}) {
        const at::Tensor latents = latentsWith({(kLoras / file).string() + ".safetensors:0.8"});
        weights::SafetensorsFolder recorded(kLoras / (std::string(expected) + "-latents.safetensors"));
        const at::Tensor reference = recorded.require("latents", latents.sizes());
        // Merged weights are kept in bf16, as they are stored; the reference adds in fp32.
        EXPECT_LE(((latents - reference).norm() / reference.norm()).item<double>(), 5e-3) << file;
        const at::Tensor plain = latentsWith({});
        EXPECT_GT(((plain - reference).norm() / reference.norm()).item<double>(), 0.05) << file;
    }
}

TEST(AnimateDiffLora, ReadsTheNamesOfDiffusersTrainingScripts) {
    const std::filesystem::path trained =
        std::filesystem::path(testing::TempDir()) / "pytorch_lora_weights.safetensors";
    weights::SafetensorsFolder image(kLoras / "image.safetensors");
    std::map<std::string, at::Tensor> tensors;
    for (const auto& [from, to] : {std::pair<std::string, std::string>{".lora_A.weight", ".lora.down.weight"},
                                   {".lora_B.weight", ".lora.up.weight"}})
        for (const std::string& name : image.names())
            if (name.ends_with(from))
                tensors[name.substr(0, name.size() - from.size()) + to] =
                    image.require(name, *image.shapeOf(name)).clone();
    ASSERT_EQ(tensors.size(), image.names().size());
    weights::writeHashedSafetensors(trained, tensors).value();
    EXPECT_TRUE(
        at::equal(latentsWith({trained.string()}), latentsWith({(kLoras / "image.safetensors").string()})));
    std::filesystem::remove(trained);
}

TEST(AnimateDiffLora, NamesATensorThatBelongsNowhere) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "stray_lora.safetensors";
    for (const char* stray : {"lora_unet_middle_of_nowhere.lora_up.weight",
                              "lora_te_text_model_encoder_layers_9_mlp_fc1.lora_up.weight",
                              "down_blocks.9.motion_modules.0.proj_in.lora_B.weight"}) {
        weights::writeHashedSafetensors(file, {{stray, at::zeros({2, 2})}}).value();
        try {
            (void)latentsWith({file.string()});
            ADD_FAILURE() << stray;
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr(stray));
        }
    }
    std::filesystem::remove(file);
}

TEST(AnimateDiffLora, KnowsTheAuthorsNamesOfStableDiffusion) {
    const auto names = imageLoraNames(UnetConfig::stableDiffusion15());
    EXPECT_THAT(names("down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q"),
                testing::IsSupersetOf({"lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn1_to_q",
                                       "lora_unet_input_blocks_1_1_transformer_blocks_0_attn1_to_q",
                                       "unet.down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q"}));
}

}  // namespace
}  // namespace reelgrid::models::animatediff
