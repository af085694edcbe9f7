#include "core/catalog/model_name.h"

#include <algorithm>
#include <filesystem>

#include "core/catalog/built_in_models.h"
#include "core/hub/repository.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

/// "Wan2.1" of "/models/Wan2.1/" and of "Wan-AI/Wan2.1".
fs::path lastPartOf(const fs::path& name) {
    const fs::path plain = name.lexically_normal();
    return plain.has_filename() ? plain.filename() : plain.parent_path().filename();
}

}  // namespace

bool isNameOf(const std::string& name, const families::ModelInfo& model) {
    const fs::path last = lastPartOf(name);
    if (name == model.id || last == lastPartOf(model.id) || last == lastPartOf(model.folder)) return true;
    // A copy of a built-in one.
    if (const BuiltInModel* builtIn = findBuiltIn(name))
        return lastPartOf(folderOf(*builtIn)) == lastPartOf(model.folder);
    // A snapshot that was given as a folder.
    return hub::isHubId(name) &&
           std::ranges::find(model.folder, hub::Repository({}, name).folder()) != model.folder.end();
}

}  // namespace reelgrid::catalog
