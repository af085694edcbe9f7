#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/catalog/model_folder.h"
#include "core/machine/machine.h"
#include "core/protocol/render_request.h"

namespace reelgrid::catalog {

/// The id of the built-in model that is always there (built_in_models.h).
inline constexpr const char* kDemoModel = "demo";

/// Finds the model that a request names: a built-in one, a diffusers folder, or a hub id
/// ("Wan-AI/Wan2.1-T2V-1.3B-Diffusers") in the local Hugging Face cache ($HF_HUB_CACHE, $HF_HOME/hub,
/// ~/.cache/huggingface/hub). Reads only JSON and the headers of the weights. NotFound names where was
/// looked; Unsupported names the pipeline class.
Result<families::ModelInfo> findModel(const std::string& idOrFolder);

/// The same with the further parts that the request names (model_parts.h). NotFound names the option and its
/// value.
Result<families::ModelInfo> findModel(const protocol::RenderRequest& request);

/// The built-in models and every supported model in the Hugging Face cache, as far as that can be read.
std::vector<families::ModelInfo> listModels();

/// A line for each folder of the cache that listModels() can't look into, and why.
std::vector<std::string> unreadableInCache();

/// What listModels() finds, as a machine's description names it.
std::vector<machine::Model> modelsOfMachine();

}  // namespace reelgrid::catalog
