#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/render_request.h"

namespace reelgrid::fleet {

/// Calls `visit(key, path)` for each file that a request names and a render reads: pictures, LoRAs, parts of
/// the model that are files, latents to go on from. `visit` may change the path, or end the walk by an error.
Result<void> forEachFile(protocol::RenderRequest& request,
                         const std::function<Result<void>(const std::string& key, std::string& path)>& visit);

/// Which fields those are.
const std::vector<std::string>& fileFields();

/// What lies beside a file and is read with it: a LoRA's adapter_config.json, a part's config.json.
std::vector<std::filesystem::path> companionsOf(const std::string& key, const std::filesystem::path& file);

/// Why a render of it can't go to another machine, as the option that keeps it here; empty: it can.
std::string obstacleToSending(const protocol::RenderRequest& request);

}  // namespace reelgrid::fleet
