#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/families/model_info.h"

namespace reelgrid::catalog {

/// What a model's folder says of itself beside model_index.json.
inline constexpr const char* kOwnDefaultsFile = "reelgrid.json";

/// Reads the model's own title and defaults into what its family says of it; a file that isn't there changes
/// nothing. InvalidData naming the file, the key, its value and what was needed, also where the model, or
/// every device, lacks what a default asks for.
Result<void> readOwnDefaults(const std::filesystem::path& file, families::ModelInfo& model);

}  // namespace reelgrid::catalog
