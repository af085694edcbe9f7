#include "core/catalog/model_catalog.h"

#include <algorithm>
#include <utility>

#include "core/base/link_check.h"
#include "core/base/resources.h"
#include "core/catalog/bare_files.h"
#include "core/catalog/built_in_models.h"
#include "core/catalog/model_folder.h"
#include "core/catalog/model_parts.h"
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

/// Where the base of a model is, and what it is called.
struct Located {
    fs::path base;
    std::string id{};     ///< empty: the path
    std::string title{};  ///< empty: what the folder says of itself, or is called
    /// Of a bare file of the hub: what else the cache has for it.
    std::vector<families::ModelPart> companions{};
};

/// The snapshot of a hub's model in the cache; empty where it isn't there, or not whole.
fs::path snapshotOf(const std::string& id) {
    const fs::path snapshot = hub::Repository(hub::HubAccess::fromEnvironment().cache, id).presentSnapshot();
    std::error_code failed;
    // A download writes the index last; other programs may have fetched a model in another form.
    const bool isWhole = !snapshot.empty() && (fs::exists(snapshot / "model_index.json", failed) ||
                                               families::layoutReaderOf(snapshot) != nullptr);
    return isWhole ? snapshot : fs::path();
}

/// With the name that a file has here: one of the hub's cache is a link to a blob without a name, and what
/// lies beside a file lies beside the link.
fs::path placeOf(const fs::path& path) {
    std::error_code failed;
    if (fs::is_directory(path, failed)) return fs::weakly_canonical(path, failed);
    return fs::weakly_canonical(fs::absolute(path).parent_path(), failed) / path.filename();
}

Result<Located> locate(const std::string& idOrFolder) {
    if (idOrFolder.empty())
        return Error{ErrorCode::BadUsage,
                     "model: the name is empty, \"demo\", a folder or a hub id was needed"};
    if (const BuiltInModel* mine = findBuiltIn(idOrFolder))
        return Located{.base = folderOf(*mine), .id = std::string(mine->name)};
    if (idOrFolder == kDemoModel) return noDemoModel();
    std::error_code failed;
    if (fs::exists(idOrFolder, failed)) return Located{.base = placeOf(idOrFolder)};
    // Links in a circle are told of by `failed`.
    if (auto fault = failed ? std::nullopt : faultOfLink(idOrFolder))
        return Error{fault->code, "model " + fault->message};
    if (const fs::path snapshot = hub::isHubId(idOrFolder) ? snapshotOf(idOrFolder) : fs::path();
        !snapshot.empty())
        return Located{.base = snapshot, .id = idOrFolder, .title = idOrFolder};
    if (const fs::path file = bareFileOf(idOrFolder); !file.empty())
        return Located{
            .base = file, .id = idOrFolder, .title = idOrFolder, .companions = presentCompanions(file)};
    const auto part = hub::partIdFrom(idOrFolder);
    if (!part && failed) return Error{ErrorCode::Io, "model " + idOrFolder + ": " + failed.message()};
    if (!part)
        return Error{ErrorCode::NotFound, "model " + idOrFolder +
                                              ": no such file or folder; \"demo\", a diffusers folder, a "
                                              ".safetensors or .pth file or a hub id was needed"};
    const fs::path cache = hub::HubAccess::fromEnvironment().cache;
    if (auto readable = hub::Repository(cache, part->id).requireReadable(); !readable)
        return readable.error().in("model " + idOrFolder);
    return Error{ErrorCode::NotFound,
                 "model " + idOrFolder +
                     ": not a folder here and not (or not whole) in the Hugging Face cache " +
                     cache.string() + " (reelgrid-cli models download " + idOrFolder + ")"};
}

Result<families::ModelInfo> readLocated(const Located& located, std::vector<families::ModelPart> parts = {}) {
    for (const families::ModelPart& companion : located.companions)
        if (std::ranges::find(parts, companion.component, &families::ModelPart::component) == parts.end())
            parts.push_back(companion);
    auto model = readModel({.base = located.base, .parts = std::move(parts)});
    if (!model) return model;
    if (!located.id.empty()) model->id = located.id;
    if (!located.title.empty()) model->title = located.title;
    return model;
}

}  // namespace

Result<families::ModelInfo> findModel(const std::string& idOrFolder) {
    const auto located = locate(idOrFolder);
    if (!located) return located.error();
    return readLocated(*located);
}

Result<families::ModelInfo> findModel(const protocol::RenderRequest& request) {
    const auto located = locate(request.model);
    if (!located) return located.error();
    std::vector<families::ModelPart> parts;
    for (const NamedPart& named : namedParts(request)) {
        auto part = findPart(named);
        if (!part) return part.error();
        parts.push_back(*std::move(part));
    }
    return readLocated(*located, std::move(parts));
}

std::vector<families::ModelInfo> listModels() {
    std::vector<families::ModelInfo> models;
    for (const BuiltInModel& mine : builtInModels())
        if (findBuiltIn(mine.name) != nullptr)
            if (auto model = findModel(std::string(mine.name))) models.push_back(*std::move(model));
    if (const auto ids = hub::cachedIds(hub::HubAccess::fromEnvironment().cache))
        for (const std::string& id : *ids)
            if (auto model = findModel(id)) models.push_back(*std::move(model));
    return models;
}

std::vector<std::string> unreadableInCache() {
    const fs::path cache = hub::HubAccess::fromEnvironment().cache;
    const auto ids = hub::cachedIds(cache);
    if (!ids) return {"the Hugging Face cache " + ids.error().message};
    std::vector<std::string> lines;
    for (const std::string& id : *ids)
        if (auto readable = hub::Repository(cache, id).requireReadable(); !readable)
            lines.push_back("model " + id + ": " + readable.error().message);
    return lines;
}

std::vector<machine::Model> modelsOfMachine() {
    std::vector<machine::Model> models;
    for (const families::ModelInfo& model : listModels())
        models.push_back({.id = model.id,
                          .title = model.title,
                          .family = model.family,
                          .folder = model.folder.string(),
                          .bytes = model.bytes()});
    return models;
}

}  // namespace reelgrid::catalog
