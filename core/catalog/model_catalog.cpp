#include "core/catalog/model_catalog.h"

#include "core/base/resources.h"
#include "core/catalog/model_folder.h"
#include "core/hub/hub_access.h"
#include "core/hub/repository.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

Result<families::ModelInfo> demoModel() {
    const fs::path resources = resourceFolder();
    if (resources.empty())
        return Error{ErrorCode::NotFound,
                     "model demo: no resources folder beside " + executableFolder().string() +
                         "; set REELGRID_RESOURCES to the folder that holds models/wan-demo"};
    auto model = readModelFolder(resources / "models" / "wan-demo");
    if (model) model->id = kDemoModel;
    return model;
}

}  // namespace

Result<families::ModelInfo> findModel(const std::string& idOrFolder) {
    if (idOrFolder.empty())
        return Error{ErrorCode::BadUsage,
                     "model: the name is empty, \"demo\", a folder or a hub id was needed"};
    if (idOrFolder == kDemoModel) return demoModel();
    std::error_code failed;
    if (fs::exists(idOrFolder, failed)) return readModelFolder(fs::weakly_canonical(idOrFolder, failed));

    if (!hub::isHubId(idOrFolder))
        return Error{
            ErrorCode::NotFound,
            "model " + idOrFolder +
                ": no such folder; \"demo\", a diffusers folder, a .safetensors file or a hub id was needed"};
    const fs::path cache = hub::HubAccess::fromEnvironment().cache;
    const fs::path snapshot = hub::Repository(cache, idOrFolder).presentSnapshot();
    // A download writes the index last; other programs may have fetched the layout of Wan's authors.
    if (snapshot.empty() ||
        (!fs::exists(snapshot / "model_index.json", failed) && !families::isWanLayout(snapshot)))
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
    if (auto demo = findModel(kDemoModel)) models.push_back(*std::move(demo));
    for (const std::string& id : hub::cachedIds(hub::HubAccess::fromEnvironment().cache))
        if (auto model = findModel(id)) models.push_back(*std::move(model));
    return models;
}

}  // namespace reelgrid::catalog
