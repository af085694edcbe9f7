#include "core/families/wan/layout.h"

#include <algorithm>

#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/families/wan/config.h"
#include "core/families/wan/kind.h"

namespace reelgrid::families::wan {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kClass = "WanModel";
constexpr const char* kWeightFiles = "diffusion_pytorch_model";
/// The two experts of Wan 2.2 A14B.
constexpr const char *kHighNoise = "high_noise_model", *kLowNoise = "low_noise_model";

bool isThere(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

/// The first file whose name begins and ends so.
Result<fs::path> fileLike(const fs::path& folder, const std::string& begin, const std::string& end) {
    const auto entries = entriesOf(folder);
    if (!entries) return entries.error();
    std::vector<fs::path> found;
    for (const auto& entry : *entries) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(begin) && name.ends_with(end)) found.push_back(entry.path());
    }
    if (!found.empty()) return *std::ranges::min_element(found);
    return Error{ErrorCode::NotFound, "model folder " + folder.string() + ": it has no " + begin + "*" + end};
}

/// config.json of one transformer's folder; what it doesn't say of pictures, the tensors do.
Result<json> transformerConfig(const fs::path& folder) {
    const auto own = readJsonObject(folder / "config.json");
    if (!own) return own.error();
    auto config = configOfWanModel(*own, folder / "config.json");
    if (!config) return config;
    const auto entries = entriesOf(folder);
    if (!entries) return entries.error();
    for (const auto& entry : *entries) {
        const fs::path& file = entry.path();
        if (file.extension() != ".safetensors" || !file.filename().string().starts_with(kWeightFiles))
            continue;
        // A damaged one is the loader's to report.
        if (const auto tensors = safetensors::readHeaderOf(file)) addImageKeys(*tensors, *config);
    }
    return config;
}

/// A file of Wan's authors in the model's folder.
Result<fs::path> needed(const fs::path& folder, const std::string& name) {
    if (isThere(folder / name)) return folder / name;
    return Error{ErrorCode::NotFound, "model folder " + folder.string() + ": it has no " + name};
}

}  // namespace

bool isWanLayout(const fs::path& folder) {
    if (isThere(folder / "model_index.json")) return false;
    for (const fs::path& config : {folder / "config.json", folder / kHighNoise / "config.json"}) {
        if (!isThere(config)) continue;
        const auto fields = readJsonObject(config);
        return fields && fields->contains("_class_name") && (*fields)["_class_name"] == kClass;
    }
    return false;
}

Result<ModelLayout> readWanLayout(const ModelSource& source) {
    const fs::path& folder = source.base;
    const bool hasExperts = isThere(folder / kHighNoise);
    const fs::path first = hasExperts ? folder / kHighNoise : folder;
    const auto transformer = transformerConfig(first);
    if (!transformer) return transformer.error();
    const auto kind = wanKindOf(*transformer, hasExperts ? WanTransformers::Two : WanTransformers::One,
                                "model folder " + folder.string());
    if (!kind) return kind.error();
    const auto text = fileLike(folder, "models_t5_", ".pth");
    if (!text) return text.error();
    const auto tokenizer = needed(folder, "google/umt5-xxl");
    if (!tokenizer) return tokenizer.error();
    const auto vae = needed(folder, *kind == WanKind::TokenTimes22 ? "Wan2.2_VAE.pth" : "Wan2.1_VAE.pth");
    if (!vae) return vae.error();

    ModelLayout layout = layoutOf(*kind, *transformer, folder.string());
    layout.paths = {
        {"transformer", first}, {"text_encoder", *text}, {"vae", *vae}, {"tokenizer", *tokenizer}};
    // The transformer may lie beside everything else.
    const std::vector<std::string> transformerFiles{"config.json", kWeightFiles};
    layout.fileNames["transformer"] = transformerFiles;
    if (layout.index.contains("image_encoder")) {
        const auto clip = fileLike(folder, "models_clip_", ".pth");
        if (!clip) return clip.error();
        layout.paths["image_encoder"] = *clip;
    }
    if (!hasExperts) return layout;
    const fs::path second = folder / kLowNoise;
    const auto secondTransformer = transformerConfig(second);
    if (!secondTransformer) return secondTransformer.error();
    layout.paths["transformer_2"] = second;
    layout.fileNames["transformer_2"] = transformerFiles;
    layout.configs["transformer_2"] = *secondTransformer;
    return layout;
}

}  // namespace reelgrid::families::wan
