#include <gmock/gmock.h>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_folder.h"
#include "core/catalog/render_settings.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/animatediff/tiny_model.h"

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
        const auto settings = catalog::resolveSettings(tinyRequest(GetParam()), model).value();
        weights::SafetensorsFolder expected(kFixtures / "pipeline" / (GetParam() + ".safetensors"));
        const auto steps = expected.names().size() - 1;
        const auto video = pipeline::loadModel(model, {}, {});
        const auto attention = attention::makeDispatcher("sdpa").value();
        denoising::StageClock clock({}, {});

        LatentsOfSteps seen;
        const at::Tensor latents =
            denoising::denoise(*video, settings, *attention, clock, {.observers = {&seen}});
        ASSERT_EQ(seen.before.size(), steps);
        for (std::size_t step = 0; step < steps; ++step) {
            const std::string name = "latents." + std::to_string(step);
            const at::Tensor reference = expected.require(name, *expected.shapeOf(name));
            EXPECT_LE(relativeErrorOf(step + 1 < steps ? seen.before[step + 1] : latents, reference), 1e-3)
                << name;
        }
        const media::RgbVideo frames = video->decode(latents, settings, clock);
        ASSERT_EQ(frames.frameCount(), settings.numFrames);
        const at::Tensor reference =
            expected.require("video", {settings.numFrames, settings.height, settings.width, 3})
                .to(at::kFloat);
        const at::Tensor rendered =
            at::from_blob(const_cast<std::uint8_t*>(frames.pixels.data()), reference.sizes(), at::kByte)
                .to(at::kFloat);
        EXPECT_LE((rendered - reference).abs().max().item<double>(), 1.0);
        EXPECT_GT(video->workingBytes(settings), 0u);
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
                                         "dpm", "lcm"),
                         [](const auto& tested) {
                             std::string name = tested.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(AnimateDiffModel, IsDescribedByItsConfigurations) {
    const TinyModel tiny(TinyModel::Motion::Inside);
    const families::ModelInfo model = catalog::readModelFolder(tiny.folder()).value();
    EXPECT_EQ(model.family, "animatediff");
    EXPECT_EQ(model.defaults.width, 16);
    EXPECT_EQ(model.defaults.numFrames, 16);
    EXPECT_EQ(model.frames.most, 24);
    EXPECT_EQ(model.layers, 16);
    EXPECT_TRUE(model.takes("motion_adapter"));
    const TinyModel base(TinyModel::Motion::Apart);
    EXPECT_THAT(catalog::readModelFolder(base.folder()).error().message,
                testing::HasSubstr("StableDiffusionPipeline"));
}

}  // namespace
}  // namespace reelgrid::models::animatediff
