#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/families/model_info.h"
#include "core/protocol/render_request.h"

namespace reelgrid::cli {

/// catalog::findModel(), after a download of what the Hugging Face cache lacks of the model's hub id and of
/// its parts'; says on stderr what is fetched from where. With HF_HUB_OFFLINE nothing is.
Result<families::ModelInfo> findOrDownload(const protocol::RenderRequest& request);

/// The same for a hub id alone, whatever is in the cache: its snapshot is up to date afterwards.
/// InvalidData naming the components that its repository lacks the weights of.
Result<std::filesystem::path> download(const std::string& id, const std::string& revision);

/// Only the folder `component` of the hub's model: where it is in the cache, after a download if need be.
Result<std::filesystem::path> findOrDownloadComponent(const std::string& id, const std::string& component);

/// A file of the hub, OWNER/NAME/FILE, in the cache: downloaded where it isn't there. BadUsage naming it
/// where nothing may be downloaded.
Result<std::filesystem::path> findOrDownloadFile(const std::string& partId);

}  // namespace reelgrid::cli
