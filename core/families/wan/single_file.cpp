#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/base/link_check.h"
#include "core/families/wan/config.h"
#include "core/families/wan/kind.h"
#include "core/families/wan/layout.h"
#include "core/families/wan/parts.h"
#include "core/pt/state_dict.h"

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

/// The same where `from` is a word of its own between dashes, as TurboDiffusion names its experts, and the
/// other file is there: such a word may mean anything else.
std::string otherWord(const fs::path& file, std::string_view from, std::string_view to) {
    const std::string name = file.filename().string();
    std::string word("-");
    word.append(from).append("-");
    const auto at = name.find(word);
    if (at == std::string::npos) return {};
    std::string other = name.substr(0, at + 1);
    other.append(to).append(name, at + word.size() - 1);
    std::error_code failed;
    return fs::exists(fs::symlink_status(file.parent_path() / other, failed)) ? other : std::string();
}

Result<Transformers> transformersOf(const ModelSource& source) {
    const fs::path& file = source.base;
    if (const fs::path second = source.partOf("transformer_2"); !second.empty())
        return Transformers{file, second};
    const std::string name = file.filename().string();
    const auto other = [&](const char* from, const char* to) {
        const std::string beforeNoise = otherExpert(name, from, to);
        return beforeNoise.empty() ? otherWord(file, from, to) : beforeNoise;
    };
    Transformers files{file, {}};
    if (const std::string low = other("high", "low"); !low.empty())
        files.second = file.parent_path() / low;
    else if (const std::string high = other("low", "high"); !high.empty())
        files = {file.parent_path() / high, file};
    std::error_code failed;
    for (const fs::path& each : {files.first, files.second})
        if (!each.empty() && !fs::is_regular_file(each, failed)) {
            if (auto fault = faultOfLink(each)) return Error{fault->code, "model " + fault->message};
            return Error{ErrorCode::NotFound, "model " + file.string() + ": the other expert of Wan 2.2, " +
                                                  each.string() + ", was needed beside it"};
        }
    return files;
}

Result<json> configOf(const fs::path& file) {
    const auto tensors = pt::weightHeaderOf(file);
    if (!tensors) return tensors.error();
    return configOfTensors(*tensors, file);
}

}  // namespace

bool isWanFile(const fs::path& file) {
    if (file.extension() != ".safetensors" && !pt::isPtName(file)) return false;
    const auto tensors = pt::weightHeaderOf(file);
    return tensors && hasWanTransformer(*tensors);
}

Result<ModelLayout> readWanFile(const ModelSource& source) {
    const fs::path& file = source.base;
    const auto files = transformersOf(source);
    if (!files) return files.error();
    const auto transformer = configOf(files->first);
    if (!transformer) return transformer.error();
    const auto kind =
        wanKindOf(*transformer, files->second.empty() ? WanTransformers::One : WanTransformers::Two,
                  "model " + file.string());
    if (!kind) return kind.error();
    const auto parts = findWanParts({.base = files->first, .parts = source.parts}, *kind);
    if (!parts) return parts.error();

    ModelLayout layout = layoutOf(*kind, *transformer, file.string());
    layout.paths = {{"transformer", files->first}, {"text_encoder", parts->textEncoder}, {"vae", parts->vae}};
    const auto keepConfigBeside = [&](const char* component, const fs::path& of, const json& config) {
        if (isDecidedBeside(config)) layout.filesBeside[component] = {of.parent_path() / "config.json"};
    };
    keepConfigBeside("transformer", files->first, *transformer);
    if (!parts->tokenizer.empty()) layout.paths["tokenizer"] = parts->tokenizer;
    if (!parts->imageEncoder.empty()) layout.paths["image_encoder"] = parts->imageEncoder;
    if (files->second.empty()) return layout;
    const auto second = configOf(files->second);
    if (!second) return second.error();
    layout.paths["transformer_2"] = files->second;
    layout.configs["transformer_2"] = *second;
    keepConfigBeside("transformer_2", files->second, *second);
    return layout;
}

}  // namespace reelgrid::families::wan
