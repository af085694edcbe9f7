#include "core/fleet/request_files.h"

#include <algorithm>
#include <optional>

#include "core/fleet/channel.h"
#include "core/protocol/lora_choice.h"
#include "core/protocol/render_fields.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::fleet {
namespace {

namespace fs = std::filesystem;
using protocol::RenderRequest;

bool isFile(const std::string& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed);
}
bool isFolder(const std::string& path) {
    std::error_code failed;
    return fs::is_directory(path, failed);
}

/// A part of the model as the request names it: a file goes with the request, a hub id stays.
std::vector<std::pair<std::string, std::optional<std::string>*>> partsOf(RenderRequest& request) {
    std::vector<std::pair<std::string, std::optional<std::string>*>> parts;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        if constexpr (std::is_same_v<decltype(access(request)), std::optional<std::string>&>)
            if (field.isModelPart) parts.emplace_back(field.key, &access(request));
    });
    return parts;
}

}  // namespace

Result<void> forEachFile(
    RenderRequest& request,
    const std::function<Result<void>(const std::string& key, std::string& path)>& visit) {
    for (auto [key, path] : {std::pair{"img_file_path", &request.imgFilePath},
                             std::pair{"last_img_file_path", &request.lastImgFilePath},
                             std::pair{"chain_from", &request.chainFrom}})
        if (*path)
            if (auto done = visit(key, **path); !done) return done;
    for (auto [key, loras] : {std::pair{"lora", &request.lora}, std::pair{"lora_2", &request.lora2}}) {
        if (protocol::isNoLora(*loras)) continue;
        for (std::string& text : *loras) {
            auto choice = protocol::LoraChoice::from(text);
            if (!choice) return choice.error();
            if (auto done = visit(key, choice->file); !done) return done;
            text = choice->text();
        }
    }
    for (auto& [key, path] : partsOf(request))
        if (*path && (isFile(**path) || (*path)->starts_with(kSentMark)))
            if (auto done = visit(key, **path); !done) return done;
    return {};
}

const std::vector<std::string>& fileFields() {
    static const std::vector<std::string> fields = [] {
        std::vector<std::string> names{"img_file_path", "last_img_file_path", "chain_from", "lora", "lora_2"};
        RenderRequest none;
        for (const auto& [key, ignored] : partsOf(none)) names.push_back(key);
        return names;
    }();
    return fields;
}

std::vector<fs::path> companionsOf(const std::string& key, const fs::path& file) {
    if (key == "img_file_path" || key == "last_img_file_path" || key == "chain_from") return {};
    const char* name = key.starts_with("lora") ? "adapter_config.json" : "config.json";
    const fs::path companion = file.parent_path() / name;
    if (!isFile(companion.string())) return {};
    return {companion};
}

std::string obstacleToSending(const RenderRequest& request) {
    if (!request.inputDir.empty()) return "--input-dir writes into a folder of this machine";
    if (request.chainSave) return "--chain-save writes a file of this machine";
    if (request.profileOutput && protocol::isTraceFolder(*request.profileOutput))
        return "--profile-output writes into a folder of this machine; a name was needed";
    RenderRequest copy = request;
    for (const auto& [key, path] : partsOf(copy)) {
        if (!*path || !isFolder(**path)) continue;
        std::string option = key;
        std::ranges::replace(option, '_', '-');
        return "--" + option + " " + **path + ": a folder isn't sent; a file or a hub id was needed";
    }
    return {};
}

}  // namespace reelgrid::fleet
