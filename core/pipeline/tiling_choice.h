#pragma once

#include <cstdint>
#include <string>

#include "core/catalog/render_settings.h"
#include "core/denoising/video_model.h"

namespace reelgrid::pipeline {

/// What --vae-tiling is where the settings leave it open (kTilingAuto): kTilingOn where the whole needs more
/// than `availableBytes` and tiles take less, else kTilingOff. Any other choice stays.
std::string settledTiling(const denoising::VideoModel& video, catalog::RenderSettings settings,
                          std::uint64_t availableBytes);

}  // namespace reelgrid::pipeline
