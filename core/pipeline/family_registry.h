#pragma once

#include <memory>
#include <string>

#include "core/pipeline/video_model.h"

namespace reelgrid::pipeline {

/// Loads a model of the family that `model` names to run in `dtype` ("fp32", "bf16", "fp16"). Throws Failure.
std::unique_ptr<VideoModel> loadModel(const families::ModelInfo& model, const std::string& dtype,
                                      const execution::Execution& execution);

/// Whether models of that family can be loaded: what every family that the catalog knows must be.
bool canLoad(std::string_view family);

}  // namespace reelgrid::pipeline
