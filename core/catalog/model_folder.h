#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/families/model_index.h"
#include "core/families/model_info.h"

namespace reelgrid::catalog {

/// Reads a diffusers folder (model_index.json and its components). An optional reelgrid.json beside it gives
/// a title and the defaults that suit the model: {"title", "width", "num_inference_steps", …}, the keys of
/// protocol::forEachRenderField() that a request may leave out. Families say what is a model.
Result<families::ModelInfo> readModelFolder(const std::filesystem::path& folder);

/// The folders that the model's family needs of it; Unsupported when no family runs its pipeline class.
Result<std::vector<std::string>> neededComponents(const families::ModelIndex& index);

}  // namespace reelgrid::catalog
