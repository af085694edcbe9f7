#include "core/catalog/model_catalog.h"

#include <algorithm>

#include "core/base/resources.h"
#include "core/catalog/built_in_models.h"
#include "core/catalog/model_folder.h"
#include "core/families/model_layout.h"
#include "core/hub/hub_access.h"
#include "core/hub/repository.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

Error noDemoModel() {
    const auto models = builtInModels();
    const auto demo = std::ranges::find(models, kDemoModel, &BuiltInModel::name);
    const std::string folder = "models/" + std::string(demo == models.end() ? kDemoModel : demo->folder);
    const fs::path resources = resourceFolder();
    const std::string where = resources.empty() ? "no resources folder beside " + executableFolder().string()
                                                : resources.string() + " has no " + folder;
    return {ErrorCode::NotFound,
            "model demo: " + where + "; set REELGRID_RESOURCES to the folder that holds " + folder};
}

Result<families::ModelInfo> readBuiltIn(const BuiltInModel& mine) {
    auto model = readModelFolder(folderOf(mine));
    if (model) model->id = mine.name;
    return model;
}

}  // namespace

Result<families::ModelInfo> findModel(const std::string& idOrFolder) {
    if (idOrFolder.empty())
        return Error{ErrorCode::BadUsage,
                     "model: the name is empty, \"demo\", a folder or a hub id was needed"};
    if (const BuiltInModel* mine = findBuiltIn(idOrFolder)) return readBuiltIn(*mine);
    if (idOrFolder == kDemoModel) return noDemoModel();
    std::error_code failed;
    if (fs::exists(idOrFolder, failed)) return readModelFolder(fs::weakly_canonical(idOrFolder, failed));

    if (!hub::isHubId(idOrFolder))
        return Error{
            ErrorCode::NotFound,
            "model " + idOrFolder +
                ": no such folder; \"demo\", a diffusers folder, a .safetensors file or a hub id was needed"};
    const fs::path cache = hub::HubAccess::fromEnvironment().cache;
    const fs::path snapshot = hub::Repository(cache, idOrFolder).presentSnapshot();
    // A download writes the index last; other programs may have fetched a model in another form.
    if (snapshot.empty() ||
        (!fs::exists(snapshot / "model_index.json", failed) && families::layoutReaderOf(snapshot) == nullptr))
        return Error{ErrorCode::NotFound,
                     "model " + idOrFolder +
                         ": not a folder here and not (or not whole) in the Hugging Face "
                         "cache " +
                         cache.string() + " (reelgrid-cli models download " + idOrFolder + ")"};
    auto model = readModelFolder(snapshot);
    if (!model) return model.error();
    model->id = idOrFolder;
    model->title = idOrFolder;
    return model;
}

std::vector<families::ModelInfo> listModels() {
    std::vector<families::ModelInfo> models;
    for (const BuiltInModel& mine : builtInModels())
        if (findBuiltIn(mine.name) != nullptr)
            if (auto model = readBuiltIn(mine)) models.push_back(*std::move(model));
    for (const std::string& id : hub::cachedIds(hub::HubAccess::fromEnvironment().cache))
        if (auto model = findModel(id)) models.push_back(*std::move(model));
    return models;
}

}  // namespace reelgrid::catalog
