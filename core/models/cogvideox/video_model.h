#pragma once

#include <memory>

#include "core/denoising/load_options.h"
#include "core/denoising/video_model.h"

namespace reelgrid::models::cogvideox {

/// A CogVideoX model from a diffusers folder: T5, the transformer, the sampler and the causal 3-D VAE.
/// Source: diffusers 0.40, pipelines/cogvideo/pipeline_cogvideox.py and pipeline_cogvideox_image2video.py.
std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options);

}  // namespace reelgrid::models::cogvideox
