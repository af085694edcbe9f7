#include "core/families/wan_layout.h"

#include <algorithm>

#include "core/base/folder.h"
#include "core/base/json.h"

namespace reelgrid::families {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kClass = "WanModel";
/// The two experts of Wan 2.2 A14B.
constexpr const char *kHighNoise = "high_noise_model", *kLowNoise = "low_noise_model";
constexpr std::int64_t kMostHeads = 1024;

bool isThere(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

/// The only file whose name begins and ends so.
Result<fs::path> fileLike(const fs::path& folder, const std::string& begin, const std::string& end) {
    const auto entries = entriesOf(folder);
    if (!entries) return entries.error();
    for (const auto& entry : *entries) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(begin) && name.ends_with(end)) return entry.path();
    }
    return Error{ErrorCode::NotFound, "model folder " + folder.string() + ": it has no " + begin + "*" + end};
}

/// What diffusers calls the sizes that Wan's own config.json has.
Result<json> transformerConfig(const json& own, const fs::path& file) {
    const auto wrong = [&](const std::string& key, const std::string& needed) {
        const auto value = own.find(key);
        return Error{ErrorCode::InvalidData, file.string() + ": " + key + " is " +
                                                 (value == own.end() ? "missing" : showJson(*value)) + ", " +
                                                 needed + " was needed"};
    };
    const auto whole = [&](const char* key) {
        const auto value = own.find(key);
        return value != own.end() && value->is_number_integer() ? value->get<std::int64_t>() : 0;
    };
    const std::int64_t heads = whole("num_heads"), dim = whole("dim");
    if (heads < 1 || heads > kMostHeads) return wrong("num_heads", "1 to " + std::to_string(kMostHeads));
    if (dim < 1 || dim % heads != 0) return wrong("dim", "a multiple of num_heads");
    json config = {{"num_attention_heads", heads}, {"attention_head_dim", dim / heads}};
    for (const auto& [theirs, diffusers] :
         {std::pair{"in_dim", "in_channels"}, std::pair{"out_dim", "out_channels"},
          std::pair{"ffn_dim", "ffn_dim"}, std::pair{"freq_dim", "freq_dim"},
          std::pair{"text_dim", "text_dim"}, std::pair{"num_layers", "num_layers"}, std::pair{"eps", "eps"}})
        if (const auto value = own.find(theirs); value != own.end()) config[diffusers] = *value;
    const std::string type = own.contains("model_type") && own["model_type"].is_string()
                                 ? own["model_type"].get<std::string>()
                                 : "t2v";
    if (type != "t2v" && type != "ti2v" && type != "i2v" && type != "flf2v")
        return wrong("model_type", "t2v, i2v, flf2v or ti2v");
    return config;
}

}  // namespace

bool isWanLayout(const fs::path& folder) {
    if (isThere(folder / "model_index.json")) return false;
    for (const fs::path& config : {folder / "config.json", folder / kHighNoise / "config.json"}) {
        if (!isThere(config)) continue;
        const auto json = readJsonObject(config);
        return json && json->contains("_class_name") && (*json)["_class_name"] == kClass;
    }
    return false;
}

Result<WanLayout> readWanLayout(const fs::path& folder) {
    const bool hasExperts = isThere(folder / kHighNoise);
    const fs::path first = hasExperts ? folder / kHighNoise : folder;
    const auto own = readJsonObject(first / "config.json");
    if (!own) return own.error();
    const auto transformer = transformerConfig(*own, first / "config.json");
    if (!transformer) return transformer.error();
    const bool seesPictures = transformer->value("in_channels", 16) > transformer->value("out_channels", 16);
    if ((seesPictures && !hasExperts) || !isThere(folder / "Wan2.1_VAE.pth"))
        return Error{ErrorCode::Unsupported,
                     "model folder " + folder.string() +
                         ": of the models in the layout of Wan's authors this "
                         "version reads text-to-video of 2.1 and the two of 2.2 A14B; for others take the "
                         "repository whose name ends in -Diffusers"};
    const auto text = fileLike(folder, "models_t5_", ".pth");
    if (!text) return text.error();
    const fs::path tokenizer = folder / "google" / "umt5-xxl";
    if (!isThere(tokenizer))
        return Error{ErrorCode::NotFound, "model folder " + folder.string() + ": it has no google/umt5-xxl"};

    WanLayout layout;
    layout.index = {{"_class_name", seesPictures ? "WanImageToVideoPipeline" : "WanPipeline"},
                    {"transformer", {"wan", kClass}},
                    {"text_encoder", {"wan", "T5EncoderModel"}},
                    {"vae", {"wan", "WanVAE"}},
                    {"tokenizer", {"wan", "HuggingfaceTokenizer"}},
                    {"scheduler", {"wan", "FlowUniPCMultistepScheduler"}}};
    layout.paths = {{"transformer", first},
                    {"text_encoder", *text},
                    {"vae", folder / "Wan2.1_VAE.pth"},
                    {"tokenizer", tokenizer}};
    layout.configs["transformer"] = *transformer;
    layout.configs["vae"] = json::object();
    // sample_shift and boundary of wan/configs.
    const double shift = hasExperts && !seesPictures ? 12.0 : 5.0;
    layout.configs["scheduler"] = {{"_class_name", "UniPCMultistepScheduler"},
                                   {"prediction_type", "flow_prediction"},
                                   {"use_flow_sigmas", true},
                                   {"num_train_timesteps", 1000},
                                   {"flow_shift", shift}};
    if (!hasExperts) return layout;
    const fs::path second = folder / kLowNoise;
    const auto secondOwn = readJsonObject(second / "config.json");
    if (!secondOwn) return secondOwn.error();
    const auto secondTransformer = transformerConfig(*secondOwn, second / "config.json");
    if (!secondTransformer) return secondTransformer.error();
    layout.index["transformer_2"] = {"wan", kClass};
    layout.index["boundary_ratio"] = seesPictures ? 0.9 : 0.875;
    layout.paths["transformer_2"] = second;
    layout.configs["transformer_2"] = *secondTransformer;
    return layout;
}

}  // namespace reelgrid::families
