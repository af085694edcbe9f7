#pragma once

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"
#include "core/result/component_hash.h"

namespace reelgrid::result {

/// SHA-256 of everything of the model that decides a render: each component's files (weights, configs,
/// tokenizer, scheduler) by its name, model_index.json, and the LoRAs that the settings merge in. NotFound or
/// Io, naming the file; Cancelled once `stop` was asked for.
Result<std::map<std::string, std::string>> modelHashes(const families::ModelInfo& model,
                                                       const catalog::RenderSettings& settings,
                                                       ComponentHasher& hasher,
                                                       const std::stop_token& stop = {});

/// Where each component lies that isn't in the model's folder.
std::map<std::string, std::string> modelPaths(const families::ModelInfo& model);

}  // namespace reelgrid::result
