#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/catalog/model_info.h"

namespace reelgrid::catalog {

/// Reads a diffusers folder (model_index.json and its components). An optional reelgrid.json beside it gives
/// a title and the defaults that suit the model: {"title", "width", "height", "num_frames", "fps",
/// "num_inference_steps", "guidance_scale", "negative_prompt"}.
Result<ModelInfo> readModelFolder(const std::filesystem::path& folder);

}  // namespace reelgrid::catalog
