#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/attention/make_dispatcher.h"
#include "core/base/pending_file.h"
#include "core/catalog/model_folder.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::wan {
namespace {

namespace fs = std::filesystem;

// A random tiny Wan 2.1 model and what diffusers' WanPipeline made of it
// (tests/fixtures/wan/make_wan_fixtures.py).
const fs::path kFolder = fs::path(REELGRID_SOURCE_DIR) / "tests/fixtures/wan/tiny-pipeline";

catalog::RenderSettings readRequest(const families::ModelInfo& model) {
    const auto json = nlohmann::json::parse(readFile(kFolder / "request.json").value());
    protocol::RenderRequest request;
    request.prompt = json.at("prompt");
    request.negativePrompt = json.at("negative_prompt");
    request.height = json.at("height");
    request.width = json.at("width");
    request.numFrames = json.at("num_frames");
    request.numInferenceSteps = json.at("num_inference_steps");
    request.guidanceScale = json.at("guidance_scale");
    request.seed = json.at("seed");
    request.dtype = "fp32";
    return catalog::resolveSettings(request, model, machine::LocalMachine().now()).value();
}

double relativeError(const at::Tensor& actual, const at::Tensor& expected) {
    return ((actual - expected).norm() / expected.norm()).item<double>();
}

TEST(WanPipelineParity, FourStepsEqualTheReference) {
    const c10::InferenceMode inference;
    weights::SafetensorsFolder expected(kFolder / "expected");
    const families::ModelInfo model = catalog::readModelFolder(kFolder).value();
    const catalog::RenderSettings settings = readRequest(model);
    const auto video = pipeline::loadModel(model, {}, {});
    const auto attention = attention::makeDispatcher("sdpa").value();
    denoising::StageClock clock({}, {});

    const at::Tensor latents = denoising::denoise(*video, settings, *attention, clock);
    const double error = relativeError(latents, expected.require("latents.3", {1, 4, 3, 4, 6}));
    RecordProperty("latents_relative_error", std::to_string(error * 1e6) + "e-6");
    EXPECT_LE(error, 1e-3);

    const media::RgbVideo frames = denoising::decode(*video, latents, settings, clock);
    ASSERT_EQ(frames.frameCount(), 9);
    // [1, T, 3, H, W] in 0…1 → [T, H, W, 3] as bytes.
    const at::Tensor reference =
        (expected.require("video", {1, 9, 3, 32, 48})[0].permute({0, 2, 3, 1}) * 255).round();
    const at::Tensor rendered =
        at::from_blob(const_cast<std::uint8_t*>(frames.pixels.data()), {9, 32, 48, 3}, at::kByte)
            .to(at::kFloat);
    EXPECT_LE((rendered - reference).abs().max().item<double>(), 1.0);
    EXPECT_EQ(clock.timing().steps.size(), 4u);
}

}  // namespace
}  // namespace reelgrid::models::wan
