#include "core/families/sd35/file_parts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/base/link_check.h"

namespace reelgrid::families::sd35 {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

enum class Presence { Needed, Optional };

/// A component as a folder of diffusers or transformers beside the file, or as a file by itself.
struct Part {
    const char* component;
    const char* className;
    const char* fileName;  ///< what a file's name begins with; null: there is none
    const char* inFolder;  ///< that the folder has to hold
    Presence presence;
};
constexpr std::array kParts{
    Part{"text_encoder", "CLIPTextModelWithProjection", "clip_l", "config.json", Presence::Needed},
    Part{"text_encoder_2", "CLIPTextModelWithProjection", "clip_g", "config.json", Presence::Needed},
    Part{"text_encoder_3", "T5EncoderModel", "t5xxl", "config.json", Presence::Optional},
    Part{"tokenizer", "CLIPTokenizer", nullptr, "", Presence::Needed},
    Part{"tokenizer_2", "CLIPTokenizer", nullptr, "", Presence::Needed},
    Part{"tokenizer_3", "T5TokenizerFast", nullptr, "", Presence::Optional},
    Part{"vae", "AutoencoderKL", nullptr, "config.json", Presence::Needed},
};

/// What a text encoder's file doesn't say of itself.
json configOfFile(const std::string& component) {
    if (component == "text_encoder_3")
        return {{"model_type", "t5"},  {"d_model", 4096},
                {"d_kv", 64},          {"d_ff", 10240},
                {"num_layers", 24},    {"num_heads", 64},
                {"vocab_size", 32128}, {"feed_forward_proj", "gated-gelu"}};
    const bool isLarge = component == "text_encoder";
    const std::int64_t channels = isLarge ? 768 : 1280;
    return {{"model_type", "clip_text_model"},
            {"hidden_size", channels},
            {"intermediate_size", 4 * channels},
            {"num_attention_heads", isLarge ? 12 : 20},
            {"num_hidden_layers", isLarge ? 12 : 32},
            {"projection_dim", channels},
            {"hidden_act", isLarge ? "quick_gelu" : "gelu"},
            {"eos_token_id", 2},
            {"vocab_size", 49408}};
}

std::vector<fs::path> partRoots(const fs::path& file) {
    const fs::path own = fs::absolute(file).lexically_normal().parent_path();
    std::vector<fs::path> roots{own, own.parent_path()};
    if (const char* further = std::getenv("REELGRID_MODEL_PARTS")) {
        std::istringstream list(further);
        for (std::string folder; std::getline(list, folder, ':');)
            if (!folder.empty()) roots.push_back(fs::absolute(folder).lexically_normal());
    }
    return roots;
}

/// Files of full precision before those in FP8, then by name.
bool comesFirst(const fs::path& a, const fs::path& b) {
    const auto rank = [](const fs::path& path) {
        const std::string name = path.filename().string();
        return std::pair(name.find("fp8") != std::string::npos, name);
    };
    return rank(a) < rank(b);
}

fs::path fileLike(const fs::path& folder, const std::string& begin) {
    const auto entries = entriesOf(folder);
    if (!entries) return {};
    std::vector<fs::path> found;
    for (const auto& entry : *entries) {
        std::string name = entry.path().filename().string();
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        if (name.starts_with(begin) && name.ends_with(".safetensors")) found.push_back(entry.path());
    }
    const auto first = std::ranges::min_element(found, comesFirst);
    return first == found.end() ? fs::path() : *first;
}

/// Empty where it isn't there.
fs::path findPart(const Part& part, const std::vector<fs::path>& roots) {
    std::error_code failed;
    for (const fs::path& root : roots) {
        if (part.fileName != nullptr)
            for (const char* folder : {"text_encoders", "clip", ""})
                if (fs::path file = fileLike(root / folder, part.fileName); !file.empty()) return file;
        if (const fs::path folder = root / part.component;
            fs::is_directory(folder, failed) && fs::exists(folder / part.inFolder, failed))
            return folder;
    }
    return {};
}

Error missing(const Part& part, const fs::path& file, const std::vector<fs::path>& roots) {
    std::string places;
    for (const fs::path& root : roots) places += (places.empty() ? "" : ", ") + nameOfLookedAt(root);
    const std::string asFile =
        part.fileName == nullptr ? "" : " or text_encoders/" + std::string(part.fileName) + "*.safetensors";
    return {ErrorCode::NotFound, "model " + file.string() + ": no " + part.component + "/" + asFile +
                                     " was found in " + places +
                                     "; REELGRID_MODEL_PARTS names further folders"};
}

}  // namespace

Result<void> addFileParts(const fs::path& file, ModelLayout& layout) {
    const std::vector<fs::path> roots = partRoots(file);
    for (const Part& part : kParts) {
        if (layout.index.contains(part.component)) continue;
        const std::string component = part.component;
        // Neither of T5's two is of use without the other.
        if (component == "tokenizer_3" && !layout.index.contains("text_encoder_3")) continue;
        const fs::path found = findPart(part, roots);
        if (found.empty()) {
            const bool needsTokenizer = component == "tokenizer_3";
            if (part.presence == Presence::Optional && !needsTokenizer) continue;
            return missing(part, file, roots);
        }
        if (auto fault = faultOfLink(found))
            return Error{fault->code, "model " + file.string() + ": its " + component + " " + fault->message};
        layout.index[component] = {"transformers", part.className};
        layout.paths[component] = found;
        if (std::string_view(part.inFolder).empty()) continue;
        std::error_code failed;
        if (fs::is_regular_file(found, failed)) {
            layout.configs[component] = configOfFile(component);
            continue;
        }
        auto config = readJsonObject(found / part.inFolder);
        if (!config) return config.error();
        layout.configs[component] = *std::move(config);
    }
    return {};
}

}  // namespace reelgrid::families::sd35
