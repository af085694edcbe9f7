#include "core/catalog/model_catalog.h"

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "core/base/folder.h"
#include "core/base/pending_file.h"
#include "core/base/resources.h"
#include "core/catalog/model_folder.h"

namespace reelgrid::catalog {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCachePrefix = "models--";

fs::path hubCache() {
    if (const char* cache = std::getenv("HF_HUB_CACHE"); cache != nullptr && *cache != '\0') return cache;
    if (const char* home = std::getenv("HF_HOME"); home != nullptr && *home != '\0')
        return fs::path(home) / "hub";
    const char* home = std::getenv("HOME");
    return fs::path(home != nullptr ? home : ".") / ".cache" / "huggingface" / "hub";
}

/// The snapshot that refs/main of a cached repository names, else its only one.
fs::path snapshotOf(const fs::path& repository) {
    std::error_code failed;
    if (auto commit = readFile(repository / "refs" / "main", 100)) {
        while (!commit->empty() && std::isspace(static_cast<unsigned char>(commit->back())) != 0)
            commit->pop_back();
        const bool plain = std::all_of(commit->begin(), commit->end(),
                                       [](unsigned char letter) { return std::isalnum(letter) != 0; });
        const fs::path snapshot = repository / "snapshots" / *commit;
        if (plain && !commit->empty() && fs::is_directory(snapshot, failed)) return snapshot;
    }
    if (const auto snapshots = entriesOf(repository / "snapshots"))
        for (const auto& entry : *snapshots)
            if (entry.is_directory(failed)) return entry.path();
    return {};
}

/// The hub ids of the cached repositories, sorted; none where the cache can't be read.
std::vector<std::string> cachedIds() {
    std::vector<std::string> ids;
    const auto repositories = entriesOf(hubCache());
    if (!repositories) return ids;
    for (const auto& entry : *repositories) {
        std::string name = entry.path().filename().string();
        if (!name.starts_with(kCachePrefix)) continue;
        name.erase(0, std::string(kCachePrefix).size());
        if (const auto dashes = name.find("--"); dashes != std::string::npos)
            ids.push_back(name.replace(dashes, 2, "/"));
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

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

    static const std::regex hubId("[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*");
    if (!std::regex_match(idOrFolder, hubId))
        return Error{
            ErrorCode::NotFound,
            "model " + idOrFolder + ": no such folder; \"demo\", a diffusers folder or a hub id was needed"};
    std::string folder = kCachePrefix + idOrFolder;
    folder.replace(folder.find('/'), 1, "--");
    const fs::path snapshot = snapshotOf(hubCache() / folder);
    if (snapshot.empty())
        return Error{ErrorCode::NotFound,
                     "model " + idOrFolder + ": not a folder here and not in the Hugging Face cache " +
                         hubCache().string() + " (huggingface-cli download " + idOrFolder + ")"};
    auto model = readModelFolder(snapshot);
    if (!model) return model.error();
    model->id = idOrFolder;
    model->title = idOrFolder;
    return model;
}

std::vector<families::ModelInfo> listModels() {
    std::vector<families::ModelInfo> models;
    if (auto demo = findModel(kDemoModel)) models.push_back(*std::move(demo));
    for (const std::string& id : cachedIds())
        if (auto model = findModel(id)) models.push_back(*std::move(model));
    return models;
}

}  // namespace reelgrid::catalog
