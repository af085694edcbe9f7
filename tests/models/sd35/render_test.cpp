#include <gmock/gmock.h>

#include "core/catalog/model_catalog.h"
#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/models/sd35/family_model.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/renderer.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/unfinished_render.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/sd35/tiny_model.h"
#include "tests/models/spoilt_copy.h"

namespace reelgrid::models::sd35 {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

/// Renders of the tiny model with dual attention.
class Sd35Render : public testing::Test {
  protected:
    TinyModel m_model{"medium"};
    fs::path m_folder = fs::path(testing::TempDir()) / ("sd35-renders_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] protocol::RenderRequest request(const char* clip, const char* run = "still") const {
        protocol::RenderRequest asked = tinyRequest("medium", run);
        asked.model = m_model.folder().string();
        asked.output = (m_folder / clip).string();
        return asked;
    }
    static result::Manifest rendered(const protocol::RenderRequest& asked) {
        const auto clip = pipeline::Renderer().render(asked, {}, {});
        EXPECT_TRUE(clip) << (clip ? "" : clip.error().message);
        return result::readClipResult(asked.output).manifest;
    }
    static std::uint64_t callsOf(const result::Manifest& manifest, protocol::ModuleKind kind) {
        std::uint64_t calls = 0;
        for (const protocol::CallRecord& call : manifest.attention)
            if (call.kind == kind) calls += call.calls;
        return calls;
    }
};

TEST_F(Sd35Render, SaysHowFramesSeeEachOther) {
    EXPECT_FALSE(rendered(request("apart.mp4")).temporal);

    auto asked = request("latents.mp4");
    asked.temporalAlpha = 0.5;
    const result::Manifest latents = rendered(asked);
    ASSERT_TRUE(latents.temporal);
    EXPECT_EQ(latents.temporal->form, "latents");
    EXPECT_EQ(latents.temporal->alpha, 0.5);
    EXPECT_THAT(latents.temporal->why, testing::HasSubstr("without parameters"));
    EXPECT_EQ(callsOf(latents, protocol::ModuleKind::Temporal), 1u);

    const result::Manifest module = rendered(request("module.mp4", "moving"));
    ASSERT_TRUE(module.temporal);
    EXPECT_EQ(module.temporal->form, "module");
    EXPECT_EQ(module.temporal->alpha, 1);
    // Four layers, three steps, two passes.
    EXPECT_EQ(callsOf(module, protocol::ModuleKind::Temporal), 4u * 3 * 2);
    EXPECT_TRUE(module.modelHashes.contains("temporal_module"));
    EXPECT_TRUE(module.modelPaths.contains("temporal_module"));
}

TEST_F(Sd35Render, AttentionTypeCoversPicturesAndARuleTime) {
    auto asked = request("fav2.mp4", "moving");
    asked.attentionType = "fav2";
    const result::Manifest manifest = rendered(asked);
    EXPECT_EQ(manifest.usedAttention(protocol::ModuleKind::Joint), "fav2");
    EXPECT_EQ(manifest.usedAttention(protocol::ModuleKind::Self), "fav2");
    EXPECT_EQ(manifest.usedAttention(protocol::ModuleKind::Temporal), "sdpa");
    asked.output = (m_folder / "rule.mp4").string();
    asked.attentionPolicy.rules = {{.backend = "fav2", .module = protocol::ModuleKind::Temporal}};
    EXPECT_EQ(rendered(asked).usedAttention(protocol::ModuleKind::Temporal), "fav2");
}

TEST_F(Sd35Render, OfALoraWithTextEncodersSaysWhatIsLeftOut) {
    const fs::path file = m_folder / "dreambooth.safetensors";
    const std::string layer = "transformer.transformer_blocks.0.attn.to_q.lora_";
    const at::Tensor a = at::ones({2, 32}), b = at::full({32, 2}, 0.1);
    weights::writeHashedSafetensors(
        file, {{layer + "A.weight", a},
               {layer + "B.weight", b},
               {"text_encoder.text_model.encoder.layers.0.self_attn.q_proj.lora_A.weight", a}})
        .value();
    auto asked = request("lora.mp4");
    asked.lora = {file.string()};
    const result::Manifest manifest = rendered(asked);
    EXPECT_THAT(manifest.remarks,
                testing::Contains(testing::HasSubstr(
                    "1 tensor is left out, as text encoders take no LoRA here (text_encoder.text_model")));
    EXPECT_NE(manifest.framesSha256, rendered(request("plain.mp4")).framesSha256);
}

TEST_F(Sd35Render, SaysWhatEachEncoderHasNoRoomFor) {
    const auto model = catalog::readModelFolder(m_model.folder()).value();
    const auto video = pipeline::loadModel(model, {}, {});
    auto asked = request("cut.mp4");
    const auto remarks = [&] {
        return video->remarks(catalog::resolveSettings(asked, model, machine::LocalMachine().now()).value());
    };
    EXPECT_THAT(remarks(), testing::IsEmpty());
    // T5 has 13 tokens here, and a token for each of these words.
    asked.prompt3 = "a red car on a beach and a red car on a beach";
    EXPECT_THAT(remarks(), ElementsAre("the prompt is cut at 13 tokens for T5, this is not seen: beach"));
    asked.maxSequenceLength = 14;
    EXPECT_THAT(remarks(), testing::IsEmpty());
    asked.prompt3.reset();
    asked.guidanceScale = 5;
    for (int i = 0; i < 100; ++i) asked.prompt += " car";
    asked.negativePrompt = asked.prompt;
    asked.negativePrompt2 = asked.negativePrompt3 = "blurry";
    const std::string of77 = "the prompt is cut at 77 tokens for CLIP ";
    EXPECT_THAT(remarks(),
                ElementsAre(testing::StartsWith(of77 + "ViT-L, this is not seen: "),
                            testing::StartsWith("the negative prompt is cut at 77 tokens for CLIP ViT-L, "),
                            testing::StartsWith(of77 + "bigG, this is not seen: "),
                            testing::StartsWith("the prompt is cut at 14 tokens for T5, ")));
}

TEST_F(Sd35Render, GoesOnWithTheSameBits) {
    for (const char* run : {"moving", "skip"}) {
        auto asked = request("whole.mp4", run);
        asked.numInferenceSteps = 6;
        asked.saveLatentsEvery = 2;
        const std::string whole = rendered(asked).framesSha256;
        asked.output = (m_folder / "resumed.mp4").string();
        std::stop_source source;
        const auto stopped = pipeline::Renderer().render(
            asked,
            [&](const protocol::RenderProgress& progress) {
                if (progress.stage == "denoise" && progress.done >= 3) source.request_stop();
            },
            source.get_token());
        ASSERT_FALSE(stopped);
        asked.resume = true;
        const result::Manifest resumed = rendered(asked);
        EXPECT_THAT(resumed.resumedAt, ElementsAre(2));
        EXPECT_EQ(resumed.framesSha256, whole) << run;
        fs::remove_all(m_folder);
        fs::create_directories(m_folder);
    }
}

TEST_F(Sd35Render, IsTheSameWithBlocksOutsideOfTheDevicesMemory) {
    const auto asked = request("held.mp4", "moving");
    auto offloaded = request("offloaded.mp4", "moving");
    offloaded.offload = protocol::kOffloadBlocks;
    EXPECT_EQ(rendered(offloaded).framesSha256, rendered(asked).framesSha256);
}

TEST_F(Sd35Render, SkipsPassesWhoseFirstBlockChangesLittle) {
    auto asked = request("cached.mp4", "moving");
    asked.numInferenceSteps = 8;
    asked.stepCache = 1;
    const result::Manifest manifest = rendered(asked);
    ASSERT_TRUE(manifest.stepCache);
    EXPECT_GT(manifest.stepCache->skipped, 0);
}

TEST_F(Sd35Render, ForetellsMoreMemoryForMoreFramesAndLessForStreamedBlocks) {
    auto asked = request("clip.mp4");
    const auto model = catalog::findModel(asked).value();
    const auto peak = [&](int frames, denoising::LoadOptions options) {
        asked.numFrames = frames;
        return familyModel()
            .forecast(model, catalog::resolveSettings(asked, model, machine::LocalMachine().now()).value(),
                      options, std::uint64_t{1} << 40)
            .peak;
    };
    EXPECT_GT(peak(64, {}), peak(2, {}));
    EXPECT_LT(peak(1, {.offload = denoising::Offload::Blocks}), peak(1, {}));
    EXPECT_LE(peak(1, {.encoders = denoising::Encoders::FreedAfterUse}), peak(1, {}));
}

TEST_F(Sd35Render, NoPictureComesOfWhatIsNotFinite) {
    auto asked = request("moving.mp4", "moving");
    expectFiniteChecks(m_model.folder(), asked,
                       {"transformer", "text_encoder", "text_encoder_2", "text_encoder_3", "vae"},
                       "transformer");
    // A part from elsewhere.
    const SpoiltCopy module(*asked.temporalModule);
    fs::create_directories(module.folder() / "part");
    for (const char* name : {"config.json", "diffusion_pytorch_model.safetensors"})
        if (fs::exists(module.folder() / name))
            fs::rename(module.folder() / name, module.folder() / "part" / name);
    const fs::path file = module.spoil("part", kNans);
    asked.temporalModule = (module.folder() / "part").string();
    const auto clip = pipeline::Renderer().render(asked, {}, {});
    ASSERT_FALSE(clip);
    EXPECT_THAT(clip.error().message, testing::AllOf(testing::HasSubstr(file.string() + ": tensor"),
                                                     testing::HasSubstr("has NaN or infinite values")));
}

}  // namespace
}  // namespace reelgrid::models::sd35
