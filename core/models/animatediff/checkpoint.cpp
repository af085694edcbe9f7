#include "core/models/animatediff/checkpoint.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/models/animatediff/names.h"
#include "core/vae/image/names.h"
#include "core/weights/renamed_weights.h"

namespace reelgrid::models::animatediff {
namespace {

namespace fs = std::filesystem;
using weights::WeightSource;

/// A parameter that every motion module has.
constexpr const char* kFirstMotionNorm = "down_blocks.0.motion_modules.0.norm.weight";
/// Before the names in files of those who trained on with several GPUs.
constexpr const char* kParallelPrefix = "module.";
constexpr const char* kSingleUnet = "model.diffusion_model.";
constexpr const char* kSingleText = "cond_stage_model.transformer.";

weights::RenamedWeights::NameIn motionNamesIn(const WeightSource& file) {
    for (const std::string prefix : {"", kParallelPrefix})
        if (file.has(prefix + authorsMotionName(kFirstMotionNorm)))
            return [prefix](const std::string& name) { return prefix + authorsMotionName(name); };
    return [](const std::string& name) { return name; };
}

std::unique_ptr<WeightSource> renamed(std::unique_ptr<WeightSource> from,
                                      weights::RenamedWeights::NameIn nameIn) {
    return std::make_unique<weights::RenamedWeights>(std::move(from), std::move(nameIn));
}

/// Models that were made from AnimateDiff have its motion modules and more, without which they are others.
void requireNothingBeside(const weights::WeightFile& file) {
    const auto isOf = [&](const std::string& name) -> const char* {
        constexpr std::int64_t kPictureChannels = 9;  // the latents with the picture's and a mask
        if (name.find(".qkv_merge.") != std::string::npos) return "CameraCtrl";
        if (!name.ends_with("conv_in.weight")) return nullptr;
        const auto shape = file.shapeOf(name);
        return shape && shape->size() > 1 && (*shape)[1] == kPictureChannels ? "PIA" : nullptr;
    };
    for (const std::string& name : file.names)
        if (const char* whose = isOf(name))
            throw Failure(ErrorCode::Unsupported, file.weights->whereIs(name) + " is of " + whose +
                                                      "; AnimateDiff's motion modules alone were needed");
}

/// The transformer block of a motion module that a table of positions is of, whatever the file calls it:
/// "down_blocks.0.motion_modules.0.transformer_blocks.0"; empty: the tensor is none.
std::string blockOfPositions(std::string name) {
    constexpr std::string_view kBlocks = ".transformer_blocks.", kAuthors = ".temporal_transformer";
    if (!name.ends_with(".pe") || name.find(".motion_modules.") == std::string::npos) return {};
    if (name.starts_with(kParallelPrefix)) name.erase(0, std::string_view(kParallelPrefix).size());
    if (const auto at = name.find(kAuthors); at != std::string::npos) name.erase(at, kAuthors.size());
    const auto at = name.find(kBlocks);
    return at == std::string::npos ? "" : name.substr(0, name.find('.', at + kBlocks.size()));
}

/// Both attentions of a block see the same positions, of which the authors' files have a table for each.
void requireOnePositionTable(const weights::WeightFile& file) {
    constexpr double kMostRounded = 0.01;  // tables of other dtypes
    std::map<std::string, std::string> firstOf;
    for (const std::string& name : file.names) {
        const std::string block = blockOfPositions(name);
        if (block.empty()) continue;
        const auto [first, isFirst] = firstOf.emplace(block, name);
        if (isFirst) continue;
        const auto table = [&](const std::string& of) {
            return file.weights->require(of, file.shapeOf(of).value()).to(at::kFloat);
        };
        const at::Tensor known = table(first->second), further = table(name);
        if (known.is_meta()) continue;  // whose values nobody reads
        if (further.sizes() == known.sizes() && at::allclose(further, known, 0, kMostRounded, true)) continue;
        throw Failure(ErrorCode::InvalidData, file.weights->whereIs(name) + " has other positions than " +
                                                  first->second + ", one table for a block was needed");
    }
}

/// The folder whose config.json is the adapter's: `path` itself, or the one that its file lies in where that
/// is diffusers' folder of one; empty where there is none.
fs::path configFolderOf(const fs::path& path) {
    std::error_code failed;
    if (fs::exists(path / "config.json", failed)) return path;
    const fs::path folder = path.parent_path(), beside = folder / "config.json";
    if (fs::is_directory(path, failed) || !fs::exists(fs::symlink_status(beside, failed))) return {};
    const nlohmann::json config = readJsonObject(beside, std::size_t{1} << 20).value();
    const bool isAdapters = config.contains("_class_name") ? config["_class_name"] == "MotionAdapter"
                                                           : config.contains("motion_num_attention_heads");
    return isAdapters ? folder : fs::path();
}

}  // namespace

MotionAdapter openMotionAdapter(const fs::path& path, const weights::OpenWeights& open) {
    weights::WeightFile file = open(path);
    requireNothingBeside(file);
    requireOnePositionTable(file);
    const auto nameIn = motionNamesIn(*file.weights);
    const fs::path folder = configFolderOf(path);
    const auto config =
        !folder.empty()
            ? MotionConfig::from(weights::ModelConfig::read(folder))
            : MotionConfig::of([&](const std::string& name) { return file.shapeOf(nameIn(name)); },
                               path.string());
    return {config, renamed(std::move(file.weights), nameIn)};
}

bool hasMotionModules(const WeightSource& unet) {
    return unet.has(kFirstMotionNorm);
}

std::unique_ptr<WeightSource> openUnet(const fs::path& path, const UnetConfig& config,
                                       const weights::OpenWeights& open) {
    auto weights = open(path).weights;
    if (!weights->has(std::string(kSingleUnet) + "out.0.weight")) return weights;
    return renamed(std::move(weights),
                   [layers = config.layersPerBlock, blocks = static_cast<std::int64_t>(config.blocks())](
                       const std::string& name) { return kSingleUnet + ldmUnetName(name, layers, blocks); });
}

std::unique_ptr<WeightSource> openTextEncoder(const fs::path& path, const weights::OpenWeights& open) {
    auto weights = open(path).weights;
    if (!weights->has(std::string(kSingleText) + "text_model.embeddings.token_embedding.weight"))
        return weights;
    return renamed(std::move(weights), [](const std::string& name) { return kSingleText + name; });
}

std::unique_ptr<WeightSource> openVae(const fs::path& path, std::size_t sizes,
                                      const weights::OpenWeights& open) {
    return vae::image::imageVaeNames(open(path).weights, static_cast<std::int64_t>(sizes));
}

}  // namespace reelgrid::models::animatediff
