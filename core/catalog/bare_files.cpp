#include "core/catalog/bare_files.h"

#include <algorithm>
#include <cctype>

#include "core/base/folder.h"
#include "core/catalog/built_in_models.h"
#include "core/hub/hub_access.h"
#include "core/hub/repository.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

std::string inLowerCase(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return text;
}

bool isQuantised(const std::string& name) {
    return inLowerCase(name).find("quant") != std::string::npos;
}

bool isTransformers(const std::string& name) {
    const std::string lower = inLowerCase(name);
    if (name.find('/') != std::string::npos || !lower.ends_with(".pth")) return false;
    return std::ranges::none_of(std::vector<const char*>{"vae", "t5", "clip"},
                                [&](const char* other) { return lower.find(other) != std::string::npos; });
}

std::vector<std::string> filesAtTop(const fs::path& folder) {
    std::vector<std::string> names;
    const auto entries = entriesOf(folder);
    if (folder.empty() || !entries) return names;
    std::error_code failed;
    for (const auto& entry : *entries)
        if (entry.is_regular_file(failed)) names.push_back(entry.path().filename().string());
    return names;
}

}  // namespace

std::vector<std::string> transformerFiles(const std::vector<std::string>& files) {
    std::vector<std::string> found;
    std::ranges::copy_if(files, std::back_inserter(found), isTransformers);
    if (!std::ranges::all_of(found, isQuantised)) std::erase_if(found, isQuantised);
    std::ranges::sort(found);
    return found;
}

std::vector<std::string> componentFiles(const std::vector<std::string>& files, const std::string& component) {
    std::vector<std::string> found;
    std::ranges::copy_if(files, std::back_inserter(found), [&](const std::string& name) {
        const std::string lower = inLowerCase(name);
        return name.find('/') == std::string::npos && lower.find(component) != std::string::npos &&
               (lower.ends_with(".pth") || lower.ends_with(".safetensors"));
    });
    std::ranges::sort(found);
    if (found.size() > 1) found.resize(1);
    return found;
}

fs::path componentFileIn(const fs::path& snapshot, const std::string& component) {
    const std::vector<std::string> found = componentFiles(filesAtTop(snapshot), component);
    return found.empty() ? fs::path() : snapshot / found.front();
}

bool isOnHub(const std::string& id) {
    std::error_code failed;
    return hub::partIdFrom(id) && !fs::exists(id, failed) && findBuiltIn(id) == nullptr;
}

fs::path bareFileOf(const std::string& id) {
    const auto part = hub::partIdFrom(id);
    if (!part) return {};
    const hub::Repository repository(hub::HubAccess::fromEnvironment().cache, part->id);
    return part->file.empty() ? transformerFileIn(repository.presentSnapshot())
                              : repository.presentPart(part->file);
}

fs::path transformerFileIn(const fs::path& snapshot) {
    const std::vector<std::string> found = transformerFiles(filesAtTop(snapshot));
    if (found.empty()) return {};
    const auto high = std::ranges::find_if(
        found, [](const std::string& name) { return inLowerCase(name).find("high") != std::string::npos; });
    return snapshot / (high == found.end() ? found.front() : *high);
}

std::vector<families::Companion> companionsOf(const fs::path& transformer) {
    for (const families::Family& family : families::families())
        for (const families::LayoutReader& layout : family.layouts)
            if (layout.recognises(transformer)) return {family.companions.begin(), family.companions.end()};
    return {};
}

std::vector<families::ModelPart> presentCompanions(const fs::path& transformer) {
    const fs::path cache = hub::HubAccess::fromEnvironment().cache;
    std::vector<families::ModelPart> parts;
    for (const families::Companion& companion : companionsOf(transformer)) {
        const auto id = hub::partIdFrom(std::string(companion.file));
        const fs::path found = id ? hub::Repository(cache, id->id).presentPart(id->file) : fs::path();
        if (found.empty()) continue;
        const bool isFolder = companion.component == "tokenizer";
        parts.push_back({std::string(companion.component), isFolder ? found.parent_path() : found});
    }
    return parts;
}

}  // namespace reelgrid::catalog
