#include "core/catalog/built_in_models.h"

#include <algorithm>
#include <array>

#include "core/base/resources.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::array<BuiltInModel, 3> kModels{
    BuiltInModel{.name = "demo",
                 .folder = "wan-demo",
                 .prompt = "a red car driving to the right on a beach",
                 .picture = ""},
    BuiltInModel{.name = "demo-i2v",
                 .folder = "wan-demo-i2v",
                 .prompt = "a red car driving to the left on a beach",
                 .picture = "pictures/red-car-beach.png"},
    BuiltInModel{.name = "demo-cogvideox",
                 .folder = "cogvideox-demo",
                 .prompt = "a red car driving to the right on a beach",
                 .picture = ""},
};

bool isThere(const BuiltInModel& model) {
    std::error_code failed;
    return fs::is_directory(folderOf(model), failed);
}

}  // namespace

std::span<const BuiltInModel> builtInModels() {
    return kModels;
}

const BuiltInModel* findBuiltIn(std::string_view name) {
    const auto* found = std::ranges::find(kModels, name, &BuiltInModel::name);
    return found == kModels.end() || !isThere(*found) ? nullptr : found;
}

fs::path folderOf(const BuiltInModel& model) {
    const fs::path resources = resourceFolder();
    return resources.empty() ? fs::path() : resources / "models" / model.folder;
}

fs::path pictureOf(const BuiltInModel& model) {
    if (model.picture.empty()) return {};
    const fs::path file = resourceFolder() / "prompts" / model.picture;
    std::error_code failed;
    return fs::is_regular_file(file, failed) ? file : fs::path();
}

std::string builtInNames() {
    std::string names;
    for (const BuiltInModel& model : kModels)
        if (isThere(model)) names += (names.empty() ? "" : ", ") + std::string(model.name);
    return names;
}

}  // namespace reelgrid::catalog
