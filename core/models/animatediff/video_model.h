#pragma once

#include <memory>

#include "core/denoising/load_options.h"
#include "core/denoising/video_model.h"
#include "core/families/model_info.h"

namespace reelgrid::models::animatediff {

/// A Stable Diffusion 1.5 model with its motion adapter. Throws Failure naming the file and what is wrong
/// with it.
std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options);

}  // namespace reelgrid::models::animatediff
