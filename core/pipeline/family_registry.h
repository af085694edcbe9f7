#pragma once

#include <memory>
#include <string>

#include "core/pipeline/video_model.h"

namespace reelgrid::pipeline {

/// Loads a model of the family that `model` names to run in `dtype` ("fp32", "bf16"). Throws Failure.
std::unique_ptr<VideoModel> loadModel(const catalog::ModelInfo& model, const std::string& dtype);

}  // namespace reelgrid::pipeline
