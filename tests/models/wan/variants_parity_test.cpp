#include <gtest/gtest.h>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/models/wan/video_model.h"
#include "core/pipeline/family_registry.h"
#include "core/pipeline/input_pictures.h"
#include "tests/models/wan/variant_model.h"
#include "tests/vae/wan21/vae_fixture.h"

namespace reelgrid::models::wan {
namespace {

using vae::tensorsOf;

struct Run {
    const char* variant;
    const char* name;
    const char* task;
    const char* first;
    const char* last;
    bool forced = false;
};

void PrintTo(const Run& run, std::ostream* out) {
    *out << run.variant << " " << run.name;
}

double relativeError(const at::Tensor& actual, const at::Tensor& expected) {
    if (actual.sizes() != expected.sizes()) return 1e30;
    return ((actual - expected).norm() / expected.norm()).item<double>();
}

/// A tiny model of every kind of Wan, against what diffusers' pipelines made of it
/// (tests/fixtures/wan/make_wan_variants_fixtures.py).
class WanVariantParity : public testing::TestWithParam<Run> {
  protected:
    VariantModel m_folder{GetParam().variant};
    families::ModelInfo m_model = catalog::readModelFolder(m_folder.folder()).value();
    std::map<std::string, at::Tensor> m_expected =
        tensorsOf(kVariants / GetParam().variant / (std::string(GetParam().name) + ".safetensors"));

    catalog::RenderSettings settings() {
        protocol::RenderRequest request = variantRequest(GetParam().variant, GetParam().name);
        request.task = GetParam().task;
        if (GetParam().first != nullptr) request.imgFilePath = (kVariants / GetParam().first).string();
        if (GetParam().last != nullptr) request.lastImgFilePath = (kVariants / GetParam().last).string();
        request.forceOutputSize = GetParam().forced;
        catalog::RenderSettings settings =
            catalog::resolveSettings(request, m_model, machine::LocalMachine().now()).value();
        pipeline::fitToPicture(settings, m_model);
        return settings;
    }

    void expectEqual(denoising::VideoModel& video) {
        const catalog::RenderSettings settings = this->settings();
        const auto attention = attention::makeDispatcher("sdpa").value();
        denoising::StageClock clock({}, {});
        const at::Tensor latents = denoising::denoise(video, settings, *attention, clock);
        const std::string last = "latents." + std::to_string(settings.numInferenceSteps - 1);
        at::Tensor expected = m_expected.at(last);
        // The reference puts the given frame back after its callback saw the latents.
        const bool keepsFrame = m_model.family == "wan2.2-ti2v" && settings.imgFilePath.has_value();
        const std::int64_t from = keepsFrame ? 1 : 0, frames = expected.size(2) - from;
        const double error = relativeError(latents.narrow(2, from, frames), expected.narrow(2, from, frames));
        RecordProperty("latents_relative_error", std::to_string(error * 1e6) + "e-6");
        EXPECT_LE(error, 1e-3);

        const media::RgbVideo clip = denoising::decode(video, latents, settings, clock);
        const at::Tensor reference = m_expected.at("video");
        ASSERT_EQ(reference.sizes(), at::IntArrayRef({clip.frameCount(), clip.height, clip.width, 3}));
        const at::Tensor rendered =
            at::from_blob(const_cast<std::uint8_t*>(clip.pixels.data()), reference.sizes(), at::kByte);
        const at::Tensor difference = (rendered.to(at::kFloat) - reference.to(at::kFloat)).abs();
        EXPECT_LE(difference.max().item<double>(), 1.0);
        EXPECT_EQ(clock.timing().steps.size(), std::size_t(settings.numInferenceSteps));
        EXPECT_EQ(clock.timing().stage("image").has_value(), settings.imgFilePath.has_value());
    }
};

TEST_P(WanVariantParity, AWholeRenderEqualsTheReferences) {
    const c10::InferenceMode inference;
    const auto video = pipeline::loadModel(m_model, {}, {});
    expectEqual(*video);
}

INSTANTIATE_TEST_SUITE_P(Runs, WanVariantParity,
                         testing::Values(Run{"i2v", "expected", "i2v", "first.png", nullptr},
                                         Run{"i2v", "forced", "i2v", "first.png", nullptr, true},
                                         Run{"flf2v", "expected", "i2v", "first.png", "last.png"},
                                         Run{"t2v-experts", "expected", "t2v", nullptr, nullptr},
                                         Run{"i2v-experts", "expected", "i2v", "first.png", nullptr},
                                         Run{"i2v-experts", "last", "i2v", "first.png", "last.png"},
                                         Run{"ti2v", "expected", "ti2v", nullptr, nullptr},
                                         Run{"ti2v", "expected", "t2v", nullptr, nullptr},
                                         Run{"ti2v", "from-picture", "ti2v", "first.png", nullptr},
                                         Run{"ti2v", "from-picture", "i2v", "first.png", nullptr}));

using WanExpertsParity = WanVariantParity;

/// The second render finds the second expert loaded and has to take the first one back.
TEST_P(WanExpertsParity, OneExpertAtATimeMakesTheSame) {
    const c10::InferenceMode inference;
    const auto video = loadVideoModel(m_model, {}, Residence::OneAtATime);
    expectEqual(*video);
    expectEqual(*video);
}

INSTANTIATE_TEST_SUITE_P(Runs, WanExpertsParity,
                         testing::Values(Run{"t2v-experts", "expected", "t2v", nullptr, nullptr},
                                         Run{"i2v-experts", "expected", "i2v", "first.png", nullptr}));

}  // namespace
}  // namespace reelgrid::models::wan
