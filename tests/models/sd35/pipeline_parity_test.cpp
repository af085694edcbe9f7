#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_catalog.h"
#include "core/machine/local_machine.h"
#include "core/models/sd35/latent_attention.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/sd35/tiny_model.h"
#include "tests/models/wan/sdpa_dispatcher.h"

namespace reelgrid::models::sd35 {
namespace {

struct Run {
    std::string form, name;
};
void PrintTo(const Run& run, std::ostream* out) {
    *out << run.form << " " << run.name;
}

double relativeError(const at::Tensor& actual, const at::Tensor& expected) {
    return ((actual - expected).norm() / expected.norm()).item<double>();
}

/// Latents before each step, and those that the last one leaves.
class LatentsOfSteps final : public denoising::StepObserver {
  public:
    void predicted(int /*step*/, const at::Tensor& latents, Prediction /*predict*/) override {
        before.push_back(latents);
    }
    void denoised(const at::Tensor& latents) override { last = latents; }

    std::vector<at::Tensor> before;
    at::Tensor last;
};

/// A render of a tiny model with sdpa, in fp32 on the CPU.
class Rendering {
  public:
    Rendering(const TinyModel& folder, protocol::RenderRequest request) {
        request.model = folder.folder().string();
        model = catalog::findModel(request).value();
        settings = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
        video = pipeline::loadModel(model, {}, {});
        latents = denoising::denoise(*video, settings, dispatcher, clock, {.observers = {&steps}});
    }

    c10::InferenceMode inference;
    families::ModelInfo model;
    catalog::RenderSettings settings;
    std::unique_ptr<denoising::VideoModel> video;
    wan::SdpaDispatcher dispatcher;
    denoising::StageClock clock{{}, {}};
    LatentsOfSteps steps;
    at::Tensor latents;
};

class Sd35PipelineParity : public testing::TestWithParam<Run> {};

TEST_P(Sd35PipelineParity, LatentsAndPicturesOfEachFrameEqualTheReferences) {
    const auto& run = GetParam();
    const TinyModel folder(run.form,
                           run.name == "without-t5" ? TinyModel::T5::LeftOut : TinyModel::T5::There);
    Rendering made(folder, tinyRequest(run.form, run.name));
    const catalog::RenderSettings& settings = made.settings;
    weights::SafetensorsFolder expected(kTinyFixtures / run.form / (run.name + ".safetensors"));
    made.steps.before.push_back(made.latents);
    ASSERT_EQ(made.steps.before.size(), std::size_t(settings.numInferenceSteps) + 1);
    for (int step = 0; step < settings.numInferenceSteps; ++step) {
        const std::string name = "latents." + std::to_string(step);
        const at::Tensor reference = expected.require(name, *expected.shapeOf(name));
        for (std::int64_t frame = 0; frame < settings.numFrames; ++frame) {
            const double error = relativeError(made.steps.before[std::size_t(step) + 1].select(2, frame),
                                               reference.select(2, frame));
            EXPECT_LE(error, 1e-4) << name << ", frame " << frame;
        }
    }
    const media::RgbVideo frames = denoising::decode(*made.video, made.latents, settings, made.clock);
    ASSERT_EQ(frames.frameCount(), settings.numFrames);
    const at::Tensor reference =
        expected.require("video", {settings.numFrames, settings.height, settings.width, 3}).to(at::kFloat);
    const at::Tensor rendered =
        at::from_blob(const_cast<std::uint8_t*>(frames.pixels.data()), reference.sizes(), at::kByte)
            .to(at::kFloat);
    EXPECT_LE((rendered - reference).abs().max().item<double>(), 1.0);
    EXPECT_GT(denoising::workingBytes(*made.video, settings), 0u);
}

INSTANTIATE_TEST_SUITE_P(Reference, Sd35PipelineParity,
                         testing::Values(Run{"medium", "still"}, Run{"medium", "prompts"},
                                         Run{"medium", "skip"}, Run{"medium", "moving"},
                                         Run{"large", "still"}, Run{"large", "without-t5"}));

TEST(Sd35LatentAttention, IsTheReferencesAttentionOverFrames) {
    weights::SafetensorsFolder expected(kTinyFixtures / "latent_attention.safetensors");
    wan::SdpaDispatcher dispatcher;
    const at::Tensor latents = expected.require("latents", {1, 16, 7, 5, 6});
    const at::Tensor seen = attendOverFrames(latents, 0.35, dispatcher);
    EXPECT_LE(relativeError(seen, expected.require("0.35", {1, 16, 7, 5, 6})), 1e-6);
    ASSERT_EQ(dispatcher.sites.size(), 1u);
    EXPECT_EQ(dispatcher.sites[0].kind, attention::ModuleKind::Temporal);
}

TEST(Sd35, WithoutAModuleFramesSeeEachOtherOnceAtTheEnd) {
    const TinyModel folder("medium");
    auto request = tinyRequest("medium", "still");
    const Rendering apart(folder, request);
    request.temporalAlpha.reset();
    const Rendering together(folder, request);
    EXPECT_EQ(together.settings.temporalAlpha, 0.35);
    wan::SdpaDispatcher dispatcher;
    EXPECT_TRUE(at::equal(together.latents, attendOverFrames(apart.latents, 0.35, dispatcher)));
    EXPECT_EQ(together.dispatcher.sites.size(), apart.dispatcher.sites.size() + 1);
    EXPECT_TRUE(together.clock.timing().stage("temporal"));
    EXPECT_FALSE(apart.clock.timing().stage("temporal"));
}

/// diffusers 0.40, encode_prompt() of pipeline_stable_diffusion_3.py: prompt_2 = prompt_2 or prompt.
TEST(Sd35, AnEmptyTextOfAnEncodersOwnIsThePrompt) {
    const TinyModel folder("medium");
    auto request = tinyRequest("medium", "still");
    request.numFrames = 1;
    request.negativePrompt = "blurry";
    const Rendering usual(folder, request);
    request.prompt2 = request.prompt3 = request.negativePrompt2 = request.negativePrompt3 = "";
    const Rendering empty(folder, request);
    EXPECT_TRUE(at::equal(empty.latents, usual.latents));
    request.prompt3 = " ";
    const Rendering space(folder, request);
    EXPECT_FALSE(at::equal(space.latents, usual.latents));
}

TEST(Sd35, AFrameIsThatOfAClipThatBeginsWithIt) {
    const TinyModel folder("medium");
    auto request = tinyRequest("medium", "still");
    const Rendering clip(folder, request);
    request.seed += 1;
    request.numFrames = 1;
    const Rendering second(folder, request);
    EXPECT_LE(relativeError(second.latents.select(2, 0), clip.latents.select(2, 1)), 1e-5);
}

TEST(Sd35, RefusesATemporalModuleThatIsNone) {
    const TinyModel folder("large");
    auto request = tinyRequest("large", "still");
    request.model = folder.folder().string();
    request.temporalModule = (folder.folder() / "vae").string();
    const auto model = catalog::findModel(request);
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().message,
                testing::AllOf(testing::HasSubstr("AutoencoderKL"), testing::HasSubstr("SD3TemporalModule")));
}

}  // namespace
}  // namespace reelgrid::models::sd35
