#include "core/catalog/model_folder.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/pending_file.h"
#include "core/protocol/parse_json.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMaxHeaderBytes = 100u << 20;

Result<json> readJson(const fs::path& path) {
    auto text = readFile(path);
    if (!text) return text.error();
    auto parsed = protocol::parseJson(*text, path.string());
    if (!parsed) return parsed.error();
    if (!parsed->is_object()) return Error{ErrorCode::InvalidData, path.string() + " is not a JSON object"};
    return parsed;
}

/// Adds one safetensors file's element count and dtypes to `component`. The header is only counted here; the
/// loader checks it. A damaged one is left out of the count.
void countTensors(const fs::path& file, ComponentInfo& component, std::set<std::string>& dtypes) {
    std::ifstream stream(file, std::ios::binary);
    std::uint64_t length = 0;
    stream.read(reinterpret_cast<char*>(&length), sizeof length);
    if (!stream || length > kMaxHeaderBytes || length > component.bytes) return;
    std::string header(length, '\0');
    stream.read(header.data(), static_cast<std::streamsize>(length));
    const json parsed = json::parse(header, nullptr, false);
    if (!stream || !parsed.is_object()) return;
    for (const auto& [name, entry] : parsed.items()) {
        if (name == "__metadata__" || !entry.is_object()) continue;
        const auto shape = entry.find("shape");
        const auto dtype = entry.find("dtype");
        if (shape == entry.end() || !shape->is_array() || dtype == entry.end() || !dtype->is_string())
            continue;
        std::int64_t elements = 1;
        bool sound = true;
        for (const json& extent : *shape)
            sound = sound && extent.is_number_unsigned() &&
                    !__builtin_mul_overflow(elements, extent.get<std::int64_t>(), &elements);
        if (!sound) continue;
        component.parameters += elements;
        dtypes.insert(dtype->get<std::string>());
    }
}

ComponentInfo readComponent(const fs::path& folder, const std::string& name, const std::string& className) {
    ComponentInfo component{.name = name, .className = className, .bytes = 0, .parameters = 0, .dtypes = {}};
    std::vector<fs::path> weights;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder / name, failed)) {
        if (!entry.is_regular_file(failed)) continue;
        component.bytes += entry.file_size(failed);
        if (entry.path().extension() == ".safetensors") weights.push_back(entry.path());
    }
    std::set<std::string> dtypes;
    for (const fs::path& file : weights) countTensors(file, component, dtypes);
    component.dtypes.assign(dtypes.begin(), dtypes.end());
    return component;
}

template <class T>
void read(const json& object, const char* key, T& value) {
    if (const auto found = object.find(key); found != object.end()) value = found->get<T>();
}

Result<void> readOwnDefaults(const fs::path& file, ModelInfo& model) {
    std::error_code failed;
    if (!fs::exists(file, failed)) return {};
    auto own = readJson(file);
    if (!own) return own.error();
    try {
        read(*own, "title", model.title);
        RenderDefaults& defaults = model.defaults;
        read(*own, "width", defaults.width);
        read(*own, "height", defaults.height);
        read(*own, "num_frames", defaults.numFrames);
        read(*own, "fps", defaults.fps);
        read(*own, "num_inference_steps", defaults.numInferenceSteps);
        read(*own, "guidance_scale", defaults.guidanceScale);
        read(*own, "negative_prompt", defaults.negativePrompt);
    } catch (const json::exception& wrong) {
        return Error{ErrorCode::InvalidData, file.string() + ": " + wrong.what()};
    }
    return {};
}

/// The strides and the depth that the model's own configs give; absent keys keep Wan 2.1's.
Result<void> readArchitecture(const fs::path& folder, ModelInfo& model) {
    auto transformer = readJson(folder / "transformer" / "config.json");
    if (!transformer) return transformer.error();
    auto vae = readJson(folder / "vae" / "config.json");
    if (!vae) return vae.error();
    int spatial = 8;
    int temporal = 4;
    int rows = 1024;
    std::vector<int> patch{1, 2, 2};
    try {
        read(*vae, "scale_factor_spatial", spatial);
        read(*vae, "scale_factor_temporal", temporal);
        read(*transformer, "rope_max_seq_len", rows);
        read(*transformer, "patch_size", patch);
        read(*transformer, "num_layers", model.layers);
    } catch (const json::exception& wrong) {
        return Error{ErrorCode::InvalidData, folder.string() + ": config.json: " + wrong.what()};
    }
    const bool sound = patch.size() == 3 && patch[0] == 1 && patch[1] >= 1 && patch[1] == patch[2] &&
                       patch[1] <= 16 && spatial >= 1 && spatial <= 64 && temporal >= 1 && temporal <= 64 &&
                       rows >= 1 && rows <= 65536 && model.layers >= 1 && model.layers <= 1024;
    if (!sound)
        return Error{ErrorCode::InvalidData, folder.string() +
                                                 ": patch_size, num_layers, scale_factor_spatial, "
                                                 "scale_factor_temporal or rope_max_seq_len is out of range"};
    SizeRules& sizes = model.sizes;
    sizes.sizeMultiple = spatial * patch[1];
    sizes.maxSize = sizes.sizeMultiple * rows;
    sizes.frameStride = temporal;
    sizes.maxFrames = temporal * (rows - 1) + 1;
    return {};
}

}  // namespace

Result<ModelInfo> readModelFolder(const fs::path& folder) {
    std::error_code failed;
    if (!fs::is_directory(folder, failed))
        return Error{ErrorCode::NotFound, "model folder " + folder.string() + ": no such folder"};
    auto index = readJson(folder / "model_index.json");
    if (!index)
        return Error{index.error().code,
                     "model folder " + folder.string() +
                         ": a diffusers folder with model_index.json was needed: " + index.error().message};
    const auto className = index->find("_class_name");
    const std::string pipeline =
        className != index->end() && className->is_string() ? className->get<std::string>() : "none";
    if (pipeline != "WanPipeline")
        return Error{ErrorCode::Unsupported, "model " + folder.string() + ": its pipeline class is " +
                                                 pipeline +
                                                 ", this version runs WanPipeline (Wan 2.1 text-to-video)"};
    const bool twoExperts = index->contains("transformer_2") && (*index)["transformer_2"].is_array() &&
                            (*index)["transformer_2"].size() == 2 && !(*index)["transformer_2"][0].is_null();
    if (twoExperts)
        return Error{ErrorCode::Unsupported,
                     "model " + folder.string() +
                         ": it has a second transformer (Wan 2.2), this version runs Wan 2.1"};

    ModelInfo model;
    model.id = folder.string();
    model.folder = folder;
    model.title = folder.filename().string();
    model.family = "wan2.1";
    model.tasks = {"t2v"};
    for (const char* name : {"transformer", "text_encoder", "vae", "tokenizer", "scheduler"}) {
        const auto entry = index->find(name);
        const bool named =
            entry != index->end() && entry->is_array() && entry->size() == 2 && (*entry)[1].is_string();
        if (!named || !fs::is_directory(folder / name, failed))
            return Error{ErrorCode::InvalidData,
                         "model " + folder.string() + ": it has no " + name + ", a Wan 2.1 folder needs one"};
        model.components.push_back(readComponent(folder, name, (*entry)[1].get<std::string>()));
    }
    if (auto rules = readArchitecture(folder, model); !rules) return rules.error();
    if (auto own = readOwnDefaults(folder / "reelgrid.json", model); !own) return own.error();
    return model;
}

}  // namespace reelgrid::catalog
