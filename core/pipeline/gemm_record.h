#pragma once

#include <optional>

#include "core/pipeline/video_model.h"

namespace reelgrid::pipeline {

/// What becomes of products in FP8 on a device that `multiplies` them, or doesn't; nothing where none were
/// asked for.
std::optional<result::GemmRecord> gemmRecordOf(const LoadOptions& options, bool multiplies);

}  // namespace reelgrid::pipeline
