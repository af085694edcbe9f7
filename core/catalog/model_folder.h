#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/families/model_index.h"
#include "core/families/model_info.h"

namespace reelgrid::catalog {

/// Reads a model: a diffusers folder (model_index.json and its components). An optional reelgrid.json beside
/// it gives a title and the defaults that suit the model: {"title", "width", "num_inference_steps", …}, the
/// keys of protocol::forEachRenderField() that a request may leave out. Families say what is a model, also in
/// other forms and of several parts; a part that the model's pipeline has no component for is left out.
Result<families::ModelInfo> readModel(const families::ModelSource& source);
/// One of a base alone.
Result<families::ModelInfo> readModelFolder(const std::filesystem::path& base);

/// The folders that the model's family needs of it; Unsupported when no family runs its pipeline class.
Result<std::vector<std::string>> neededComponents(const families::ModelIndex& index);

/// Those of them that a diffusers folder's model_index.json names and that came without files, or, where they
/// have weights, without those; none where the folder has no model_index.json.
Result<std::vector<std::string>> componentsWithoutWeights(const std::filesystem::path& folder);

}  // namespace reelgrid::catalog
