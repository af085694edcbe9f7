#pragma once

#include <filesystem>

#include "core/families/model_layout.h"

namespace reelgrid::families::svd {

/// One file with the whole model, by Stability AI's names (svd.safetensors, svd_xt.safetensors). Its shapes
/// say what it is; how many frames it was trained with only its name does: 25 where that has "xt", else 14.
bool isSvdFile(const std::filesystem::path& file);
Result<ModelLayout> readSvdFile(const ModelSource& source);

}  // namespace reelgrid::families::svd
