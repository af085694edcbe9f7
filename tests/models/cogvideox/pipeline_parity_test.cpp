#include <gtest/gtest.h>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "tests/models/cogvideox/tiny_model.h"

namespace reelgrid::models::cogvideox {
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

class CogVideoXPipelineParity : public testing::TestWithParam<Run> {};

TEST_P(CogVideoXPipelineParity, LatentsAndPicturesEqualTheReferences) {
    const c10::InferenceMode inference;
    const TinyModel folder(GetParam().form);
    const families::ModelInfo model = catalog::readModelFolder(folder.folder()).value();
    const auto settings = catalog::resolveSettings(tinyRequest(GetParam().form, GetParam().name), model,
                                                   machine::LocalMachine().now())
                              .value();
    weights::SafetensorsFolder expected(kFixtures / GetParam().form / (GetParam().name + ".safetensors"));
    const auto video = pipeline::loadModel(model, {}, {});
    const auto attention = attention::makeDispatcher("sdpa").value();
    denoising::StageClock clock({}, {});

    LatentsOfSteps seen;
    const at::Tensor latents =
        denoising::denoise(*video, settings, *attention, clock, {.observers = {&seen}});
    ASSERT_EQ(seen.before.size(), std::size_t(settings.numInferenceSteps));
    EXPECT_TRUE(at::equal(seen.last, latents));
    for (int step = 0; step < settings.numInferenceSteps; ++step) {
        const std::string name = "latents." + std::to_string(step);
        const at::Tensor reference = expected.require(name, *expected.shapeOf(name));
        if (step + 1 < settings.numInferenceSteps) {
            EXPECT_LE(relativeError(seen.before[std::size_t(step) + 1], reference), 1e-3) << name;
            continue;
        }
        // The padding of time's patches comes first and is left out.
        const at::Tensor kept = reference.narrow(2, reference.size(2) - latents.size(2), latents.size(2));
        const double error = relativeError(latents, kept);
        RecordProperty("latents_relative_error", std::to_string(error * 1e6) + "e-6");
        EXPECT_LE(error, 1e-3) << name;
    }

    const media::RgbVideo frames = denoising::decode(*video, latents, settings, clock);
    ASSERT_EQ(frames.frameCount(), settings.numFrames);
    const at::Tensor reference =
        expected.require("video", {settings.numFrames, settings.height, settings.width, 3}).to(at::kFloat);
    const at::Tensor rendered =
        at::from_blob(const_cast<std::uint8_t*>(frames.pixels.data()), reference.sizes(), at::kByte)
            .to(at::kFloat);
    EXPECT_LE((rendered - reference).abs().max().item<double>(), 1.0);
    EXPECT_EQ(clock.timing().steps.size(), std::size_t(settings.numInferenceSteps));
    EXPECT_GT(denoising::workingBytes(*video, settings), 0u);
}

INSTANTIATE_TEST_SUITE_P(Reference, CogVideoXPipelineParity,
                         testing::Values(Run{"2b", "expected"}, Run{"2b", "dynamic"}, Run{"5b", "expected"},
                                         Run{"5b", "wide"}, Run{"5b-i2v", "expected"}, Run{"1.5", "expected"},
                                         Run{"1.5-i2v", "expected"}));

}  // namespace
}  // namespace reelgrid::models::cogvideox
