#pragma once

#include <memory>

#include "core/denoising/load_options.h"
#include "core/denoising/video_model.h"

namespace reelgrid::models::wan {

/// Whether the two transformers of a model that has two are in memory together.
enum class Residence { AsMemoryAllows, Together, OneAtATime };

/// A Wan model: umT5, CLIP's image encoder where there is one, one transformer or
/// two, the scheduler and the causal 3-D VAE. Source: diffusers 0.40, pipelines/wan/pipeline_wan.py and
/// pipeline_wan_i2v.py.
std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options);
std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options,
                                                      Residence residence);

}  // namespace reelgrid::models::wan
