#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hub/file_download.h"
#include "core/hub/hub_access.h"
#include "core/hub/remote_file.h"
#include "core/hub/repository.h"

namespace reelgrid::hub {

/// What a model needs of its repository, at one commit.
struct ModelPlan {
    std::string id, revision, commit;
    std::vector<RemoteFile> files;   ///< of a model model_index.json last
    std::uint64_t bytes = 0;         ///< of all of them, the same contents once
    std::uint64_t missingBytes = 0;  ///< that aren't in the cache yet
};

/// Which folders of a repository a model's pipeline needs, from the text of its model_index.json.
using ComponentsOf = std::function<Result<std::vector<std::string>>(const std::string& modelIndex)>;

/// Asks the hub what `revision` (a branch, tag or commit) of the model `id` holds. NotFound, Unsupported (no
/// model_index.json, or what `componentsOf` says), Io, InvalidData, Cancelled; BadUsage when `id` is no hub
/// id or access is offline.
Result<ModelPlan> planModel(const HubAccess& access, const std::string& id, const std::string& revision,
                            const ComponentsOf& componentsOf, const Patience& patience,
                            const std::stop_token& stop);

/// The same of a part: its file, or the configuration and weights at the top of its repository. Unsupported
/// when there are none.
Result<ModelPlan> planPart(const HubAccess& access, const PartId& part, const std::string& revision,
                           const Patience& patience, const std::stop_token& stop);

/// Chooses among a repository's files.
using FilesOf = std::function<std::vector<std::string>(const std::vector<std::string>& all)>;

/// The same of a repository in another form than diffusers': the files that are chosen. Unsupported, saying
/// what was needed, when those are none.
Result<ModelPlan> planFiles(const HubAccess& access, const std::string& id, const std::string& revision,
                            const FilesOf& filesOf, const std::string& needed, const Patience& patience,
                            const std::stop_token& stop);

struct DownloadProgress {
    std::uint64_t bytes = 0, totalBytes = 0;  ///< of what was missing
    int files = 0, totalFiles = 0;
};

/// Fetches what is missing, several files at a time, and returns the snapshot's folder. Until everything is
/// there the snapshot has no model_index.json, so that nobody takes it for a model. Io before the first byte
/// when the disk has no room. `told` is called from this thread.
Result<std::filesystem::path> downloadModel(const HubAccess& access, const ModelPlan& plan,
                                            const Patience& patience,
                                            const std::function<void(const DownloadProgress&)>& told,
                                            const std::stop_token& stop);

}  // namespace reelgrid::hub
