#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_folder.h"
#include "core/catalog/render_settings.h"
#include "core/families/model_index.h"
#include "core/machine/local_machine.h"
#include "core/models/animatediff/prompt.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/animatediff/tiny_model.h"
#include "tests/models/spoilt_copy.h"

namespace reelgrid::models::animatediff {
namespace {

double relativeErrorOf(const at::Tensor& actual, const at::Tensor& expected) {
    return ((actual - expected).norm() / expected.norm()).item<double>();
}

/// Latents after each step, as the reference's callback gets them: those before the last are seen here as
/// what the next step is predicted from.
class LatentsOfSteps final : public denoising::StepObserver {
  public:
    void predicted(int /*step*/, const at::Tensor& latents, Prediction /*predict*/) override {
        before.push_back(latents);
    }
    void denoised(const at::Tensor& latents) override { last = latents; }

    std::vector<at::Tensor> before;
    at::Tensor last;
};

class AnimateDiffPipelineParity : public testing::TestWithParam<std::string> {
  protected:
    void compare(const families::ModelInfo& model) {
        const c10::InferenceMode inference;
        const auto settings =
            catalog::resolveSettings(tinyRequest(GetParam()), model, machine::LocalMachine().now()).value();
        weights::SafetensorsFolder expected(kFixtures / "pipeline" / (GetParam() + ".safetensors"));
        const auto steps = expected.names().size() - 1;
        const auto video = pipeline::loadModel(model, {}, {});
        const auto attention = attention::makeDispatcher("sdpa").value();
        denoising::StageClock clock({}, {});

        LatentsOfSteps seen;
        const at::Tensor latents =
            denoising::denoise(*video, settings, *attention, clock, {.observers = {&seen}});
        ASSERT_EQ(seen.before.size(), steps);
        const auto ofOneTime = steps / static_cast<std::size_t>(std::max(settings.freeInit, 1));
        for (std::size_t step = 0; step < steps; ++step) {
            // Between two times of FreeInit the reference's callback gets what the first has made.
            if (step + 1 < steps && (step + 1) % ofOneTime == 0) continue;
            const std::string name = "latents." + std::to_string(step);
            const at::Tensor reference = expected.require(name, *expected.shapeOf(name));
            EXPECT_LE(relativeErrorOf(step + 1 < steps ? seen.before[step + 1] : latents, reference), 1e-3)
                << name;
        }
        const media::RgbVideo frames = denoising::decode(*video, latents, settings, clock);
        ASSERT_EQ(frames.frameCount(), settings.numFrames);
        const at::Tensor reference =
            expected.require("video", {settings.numFrames, settings.height, settings.width, 3})
                .to(at::kFloat);
        const at::Tensor rendered =
            at::from_blob(const_cast<std::uint8_t*>(frames.pixels.data()), reference.sizes(), at::kByte)
                .to(at::kFloat);
        EXPECT_LE((rendered - reference).abs().max().item<double>(), 1.0);
        EXPECT_GT(denoising::workingBytes(*video, settings), 0u);
    }
};

TEST_P(AnimateDiffPipelineParity, LatentsAndFramesEqualTheReferences) {
    const TinyModel tiny(TinyModel::Motion::Inside);
    compare(catalog::readModelFolder(tiny.folder()).value());
}

TEST_P(AnimateDiffPipelineParity, OfAnImageModelAndAnAdapterBesideIt) {
    const TinyModel tiny(TinyModel::Motion::Apart);
    compare(catalog::readModel({.base = tiny.folder(), .parts = {{"motion_adapter", TinyModel::adapter()}}})
                .value());
}

INSTANTIATE_TEST_SUITE_P(Reference, AnimateDiffPipelineParity,
                         testing::Values("ddim", "unguided", "clip-skip", "euler", "euler-ancestral", "pndm",
                                         "dpm", "lcm", "free-init", "context", "context-flat"),
                         [](const auto& tested) {
                             std::string name = tested.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(AnimateDiffFreeInit, SaysWithWhichSamplersItIsAnotherThanDiffusers) {
    const TinyModel tiny(TinyModel::Motion::Inside);
    const auto model = catalog::readModelFolder(tiny.folder()).value();
    const auto video = pipeline::loadModel(model, {}, {});
    const auto remarksWith = [&](const char* sampler, int times) {
        protocol::RenderRequest request = tinyRequest("ddim");
        request.scheduler = sampler;
        request.freeInit = times;
        return video->remarks(
            catalog::resolveSettings(request, model, machine::LocalMachine().now()).value());
    };
    for (const char* sampler : {"euler", "euler-ancestral"}) {
        EXPECT_THAT(remarksWith(sampler, 2),
                    testing::ElementsAre(testing::HasSubstr("diffusers 0.40 mixes")));
        EXPECT_THAT(remarksWith(sampler, 0), testing::IsEmpty());
    }
    for (const char* sampler : {"ddim", "pndm", "dpm++", "lcm"})
        EXPECT_THAT(remarksWith(sampler, 2), testing::IsEmpty()) << sampler;
}

/// The last latents of a request, with the tiny model.
at::Tensor latentsOf(const protocol::RenderRequest& request) {
    const c10::InferenceMode inference;
    const TinyModel tiny(TinyModel::Motion::Inside);
    const auto model = catalog::readModelFolder(tiny.folder()).value();
    const auto settings = catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
    const auto video = pipeline::loadModel(model, {}, {});
    const auto attention = attention::makeDispatcher("sdpa").value();
    denoising::StageClock clock({}, {});
    return denoising::denoise(*video, settings, *attention, clock);
}

TEST(AnimateDiffChain, GoesOnFromAnotherClipsLastFrame) {
    const std::filesystem::path kept = std::filesystem::path(testing::TempDir()) / "chained.safetensors";
    const at::Tensor earlier = latentsOf(tinyRequest("euler"));
    weights::writeHashedSafetensors(kept, {{"latents", earlier}}).value();
    const at::Tensor last = earlier.select(2, earlier.size(2) - 1);
    const auto distance = [&](const at::Tensor& clip) {
        return ((clip.select(2, 0) - last).norm() / last.norm()).item<double>();
    };
    for (const char* sampler : {"ddim", "euler", "euler-ancestral", "pndm", "dpm++", "lcm"}) {
        protocol::RenderRequest request = tinyRequest("ddim");
        request.scheduler = sampler;
        request.guidanceScale = 2;
        request.seed = 8;
        request.numInferenceSteps = 20;
        const double apart = distance(latentsOf(request));
        request.chainFrom = kept.string();
        request.chainAlpha = 1;
        EXPECT_LT(distance(latentsOf(request)), apart / 2) << sampler;
    }
    protocol::RenderRequest other = tinyRequest("ddim");
    other.width = 32;
    other.chainFrom = kept.string();
    EXPECT_THROW((void)latentsOf(other), Failure);
    std::filesystem::remove(kept);
}

TEST(AnimateDiffModel, IsDescribedByItsConfigurations) {
    const TinyModel tiny(TinyModel::Motion::Inside);
    const families::ModelInfo model = catalog::readModelFolder(tiny.folder()).value();
    EXPECT_EQ(model.family, "animatediff");
    EXPECT_EQ(model.defaults.width, 16);
    EXPECT_EQ(model.defaults.numFrames, 16);
    EXPECT_EQ(model.layers, 16);
    EXPECT_TRUE(model.takes("motion_adapter"));
    const TinyModel base(TinyModel::Motion::Apart);
    EXPECT_THAT(catalog::readModelFolder(base.folder()).error().message,
                testing::HasSubstr("it has no motion_adapter, which AnimateDiff text-to-video needs; "
                                   "--motion-adapter names one"));
    auto index = nlohmann::json::parse(readFile(tiny.folder() / "model_index.json").value());
    index["motion_adapter"] = {nullptr, nullptr};
    const std::filesystem::path file = tiny.folder() / "model_index.json";
    std::ofstream(file) << index.dump();
    EXPECT_THAT(catalog::readModelFolder(tiny.folder()).error().message,
                testing::HasSubstr("names one (" + file.string() + ": motion_adapter is [null,null])"));
}

TEST(AnimateDiffRender, NoPictureComesOfWhatIsNotFinite) {
    const TinyModel model(TinyModel::Motion::Inside);
    expectFiniteChecks(model.folder(), tinyRequest("ddim"), {"unet", "motion_adapter", "text_encoder", "vae"},
                       "motion_adapter");
}

/// The reference's pipeline reads the key, which transformers doesn't.
TEST(AnimateDiffPrompts, AreRefusedWhereTheirPaddingIsToBeHidden) {
    const TinyModel tiny(TinyModel::Motion::Inside);
    const auto folder = tiny.folder() / "text_encoder";
    std::filesystem::remove(folder);
    std::filesystem::create_directory(folder);
    auto config = nlohmann::json::parse(readFile(kFixtures / "pipeline/text_encoder/config.json").value());
    const auto failure = [&](bool isHidden) -> std::string {
        config["use_attention_mask"] = isHidden;
        std::ofstream(folder / "config.json") << config.dump();
        try {
            (void)textEncoderConfig(families::ModelIndex::read(tiny.folder()).value());
        } catch (const Failure& refused) {
            return refused.error().message;
        }
        return "none";
    };
    EXPECT_EQ(failure(false), "none");
    EXPECT_THAT(failure(true), testing::HasSubstr("config.json: use_attention_mask is true"));
}

}  // namespace
}  // namespace reelgrid::models::animatediff
