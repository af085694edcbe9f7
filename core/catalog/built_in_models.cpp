#include "core/catalog/built_in_models.h"

#include <algorithm>
#include <vector>

#include "core/base/resources.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

bool isThere(const BuiltInModel& model) {
    std::error_code failed;
    return fs::is_directory(folderOf(model), failed);
}

}  // namespace

std::span<const BuiltInModel> builtInModels() {
    static const std::vector<BuiltInModel> kModels = [] {
        std::vector<BuiltInModel> models;
        for (const families::Family& family : families::families())
            models.insert(models.end(), family.miniatures.begin(), family.miniatures.end());
        return models;
    }();
    return kModels;
}

const BuiltInModel* findBuiltIn(std::string_view name) {
    const auto models = builtInModels();
    const auto found = std::ranges::find(models, name, &BuiltInModel::name);
    return found == models.end() || !isThere(*found) ? nullptr : &*found;
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
    for (const BuiltInModel& model : builtInModels())
        if (isThere(model)) names += (names.empty() ? "" : ", ") + std::string(model.name);
    return names;
}

}  // namespace reelgrid::catalog
