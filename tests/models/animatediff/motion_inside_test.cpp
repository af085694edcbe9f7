#include <gtest/gtest.h>

#include <map>

#include "core/attention/make_dispatcher.h"
#include "core/catalog/model_folder.h"
#include "core/catalog/render_settings.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/family_registry.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"
#include "tests/models/animatediff/tiny_model.h"

namespace reelgrid::models::animatediff {
namespace {

/// A folder of safetensors and a config.
void writePart(const std::filesystem::path& folder, const nlohmann::json& config,
               const std::map<std::string, at::Tensor>& tensors) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << config.dump();
    weights::writeHashedSafetensors(folder / "diffusion_pytorch_model.safetensors", tensors).value();
}

std::map<std::string, at::Tensor> tensorsIn(const std::filesystem::path& folder) {
    weights::SafetensorsFolder stored(folder);
    std::map<std::string, at::Tensor> tensors;
    for (const std::string& name : stored.names())
        tensors[name] = stored.require(name, *stored.shapeOf(name)).clone();
    return tensors;
}

at::Tensor latentsOf(const std::filesystem::path& folder, const std::string& adapter = {}) {
    const c10::InferenceMode inference;
    auto source = families::ModelSource{.base = folder, .parts = {}};
    if (!adapter.empty()) source.parts.push_back({"motion_adapter", adapter});
    const auto model = catalog::readModel(source).value();
    const auto settings =
        catalog::resolveSettings(tinyRequest("ddim"), model, machine::LocalMachine().now()).value();
    const auto video = pipeline::loadModel(model, {}, {});
    const auto attention = attention::makeDispatcher("sdpa").value();
    denoising::StageClock clock({}, {});
    return denoising::denoise(*video, settings, *attention, clock);
}

TEST(AnimateDiff, AUnetThatWasSavedWithMotionModulesMovesByThem) {
    const TinyModel tiny(TinyModel::Motion::Inside);
    const at::Tensor byAdapter = latentsOf(tiny.folder());
    auto motion = tensorsIn(TinyModel::adapter());
    for (auto& [name, tensor] : motion)
        if (name.ends_with("proj_out.weight")) tensor = tensor * -3;
    // What diffusers' pipelines save: the modules within the UNet, and the adapter that they came from.
    auto unet = tensorsIn(tiny.folder() / "unet");
    unet.insert(motion.begin(), motion.end());
    auto config = nlohmann::json::parse(readFile(tiny.folder() / "unet/config.json").value());
    const auto adapter = nlohmann::json::parse(readFile(TinyModel::adapter() / "config.json").value());
    config["_class_name"] = "UNetMotionModel";
    for (const char* key : {"motion_num_attention_heads", "motion_max_seq_length", "use_motion_mid_block"})
        if (adapter.contains(key)) config[key] = adapter[key];
    std::filesystem::remove(tiny.folder() / "unet");
    writePart(tiny.folder() / "unet", config, unet);
    auto index = nlohmann::json::parse(readFile(tiny.folder() / "model_index.json").value());
    index["unet"] = {"diffusers", "UNetMotionModel"};
    std::ofstream(tiny.folder() / "model_index.json") << index.dump();
    const at::Tensor byItself = latentsOf(tiny.folder());
    EXPECT_GT(((byItself - byAdapter).norm() / byAdapter.norm()).item<double>(), 0.01);
    // As with an adapter that has those modules; one that was asked for counts more than the UNet's own.
    const std::filesystem::path other = tiny.folder() / "other";
    writePart(other, adapter, motion);
    EXPECT_TRUE(at::equal(latentsOf(tiny.folder(), other), byItself));
    EXPECT_TRUE(at::equal(latentsOf(tiny.folder(), TinyModel::adapter()), byAdapter));
    // What a pipeline saves that was given a UNet with modules and no adapter.
    std::filesystem::remove(tiny.folder() / "motion_adapter");
    index["motion_adapter"] = {nullptr, nullptr};
    std::ofstream(tiny.folder() / "model_index.json") << index.dump();
    EXPECT_TRUE(at::equal(latentsOf(tiny.folder()), byItself));
    EXPECT_TRUE(at::equal(latentsOf(tiny.folder(), TinyModel::adapter()), byAdapter));
}

}  // namespace
}  // namespace reelgrid::models::animatediff
