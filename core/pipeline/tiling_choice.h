#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/catalog/render_settings.h"

namespace reelgrid::pipeline {

/// What --vae-tiling is where the settings leave it open (kTilingAuto): kTilingOn where the whole needs more
/// than `availableBytes` and tiles take less, else kTilingOff. Any other choice stays. `workingBytes`:
/// denoising::workingBytes() of the model.
std::string settledTiling(
    const std::function<std::uint64_t(const catalog::RenderSettings& settings)>& workingBytes,
    catalog::RenderSettings settings, std::uint64_t availableBytes);

}  // namespace reelgrid::pipeline
