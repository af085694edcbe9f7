#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "core/pipeline/video_model.h"

namespace reelgrid::models::wan {

/// Wan 2.1 text-to-video from a diffusers folder: umT5, the transformer, the scheduler and the causal 3-D
/// VAE. Source: diffusers 0.40, pipelines/wan/pipeline_wan.py.
std::unique_ptr<pipeline::VideoModel> loadVideoModel(const catalog::ModelInfo& model, at::ScalarType dtype);

}  // namespace reelgrid::models::wan
