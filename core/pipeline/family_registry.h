#pragma once

#include <memory>
#include <string>

#include "core/pipeline/video_model.h"

namespace reelgrid::pipeline {

/// What a render computes in, by the names of --dtype and --vae-dtype.
struct NumberFormats {
    std::string dtype = "fp32";
    std::string vaeDtype = "fp32";

    bool operator==(const NumberFormats&) const = default;
};

/// Loads a model of the family that `model` names to run in these formats. Throws Failure.
std::unique_ptr<VideoModel> loadModel(const families::ModelInfo& model, const NumberFormats& formats,
                                      const execution::Execution& execution);

/// Whether models of that family can be loaded: what every family that the catalog knows must be.
bool canLoad(std::string_view family);

}  // namespace reelgrid::pipeline
