#pragma once

#include <optional>

#include "core/denoising/load_options.h"
#include "core/result/manifest.h"

namespace reelgrid::denoising {

/// What becomes of products in FP8 on a device that `multiplies` them, or doesn't; nothing where none were
/// asked for.
std::optional<result::GemmRecord> gemmRecordOf(const LoadOptions& options, bool multiplies);

}  // namespace reelgrid::denoising
