#include <algorithm>
#include <cctype>

#include "core/families/wan/config.h"
#include "core/families/wan/kind.h"
#include "core/families/wan/layout.h"
#include "core/families/wan/parts.h"

namespace reelgrid::families::wan {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The files of one transformer, or of two experts, the one for the noisy steps first.
struct Transformers {
    fs::path first, second;
};

/// The name with the first `from` before "noise" as `to`, of the same length and case; empty where there is
/// none.
std::string otherExpert(const std::string& name, const std::string& from, const std::string& to) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    for (const char* joint : {"_", "-", "", " "}) {
        const auto at = lower.find(from + joint + "noise");
        if (at == std::string::npos) continue;
        std::string word = to;
        const auto isUpper = [&](std::size_t i) { return std::isupper(static_cast<unsigned char>(name[i])); };
        for (std::size_t i = 0; i < word.size(); ++i)
            if (isUpper(at + std::min(i, from.size() - 1)))
                word[i] = char(std::toupper(static_cast<unsigned char>(word[i])));
        return name.substr(0, at) + word + name.substr(at + from.size());
    }
    return {};
}

Result<Transformers> transformersOf(const fs::path& file) {
    const std::string name = file.filename().string();
    Transformers files{file, {}};
    if (const std::string low = otherExpert(name, "high", "low"); !low.empty())
        files.second = file.parent_path() / low;
    else if (const std::string high = otherExpert(name, "low", "high"); !high.empty())
        files = {file.parent_path() / high, file};
    std::error_code failed;
    for (const fs::path& each : {files.first, files.second})
        if (!each.empty() && !fs::is_regular_file(each, failed))
            return Error{ErrorCode::NotFound, "model " + file.string() + ": the other expert of Wan 2.2, " +
                                                  each.string() + ", was needed beside it"};
    return files;
}

Result<json> configOf(const fs::path& file) {
    const auto tensors = safetensors::readHeaderOf(file);
    if (!tensors) return tensors.error();
    return configOfTensors(*tensors, file);
}

}  // namespace

bool isWanFile(const fs::path& file) {
    if (file.extension() != ".safetensors") return false;
    const auto tensors = safetensors::readHeaderOf(file);
    return tensors && hasWanTransformer(*tensors);
}

Result<ModelLayout> readWanFile(const fs::path& file) {
    const auto files = transformersOf(file);
    if (!files) return files.error();
    const auto transformer = configOf(files->first);
    if (!transformer) return transformer.error();
    const auto kind =
        wanKindOf(*transformer, files->second.empty() ? WanTransformers::One : WanTransformers::Two,
                  "model " + file.string());
    if (!kind) return kind.error();
    const auto parts = findWanParts(files->first, *kind);
    if (!parts) return parts.error();

    ModelLayout layout = layoutOf(*kind, *transformer, file.string());
    layout.paths = {{"transformer", files->first}, {"text_encoder", parts->textEncoder}, {"vae", parts->vae}};
    if (!parts->tokenizer.empty()) layout.paths["tokenizer"] = parts->tokenizer;
    if (!parts->imageEncoder.empty()) layout.paths["image_encoder"] = parts->imageEncoder;
    if (files->second.empty()) return layout;
    const auto second = configOf(files->second);
    if (!second) return second.error();
    layout.paths["transformer_2"] = files->second;
    layout.configs["transformer_2"] = *second;
    return layout;
}

}  // namespace reelgrid::families::wan
