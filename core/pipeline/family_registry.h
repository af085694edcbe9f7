#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/model_faults.h"
#include "core/pipeline/video_model.h"

namespace reelgrid::pipeline {

/// What a request says of how its model is loaded, by the options of these names.
struct LoadChoices {
    std::string dtype = "fp32";
    std::string vaeDtype = "fp32";
    std::vector<std::string> lora{}, lora2{};
    bool useFp8Gemms = false;
    bool useBf16TeGemms = false;
    Offload offload = Offload::None;
    Encoders encoders = Encoders::Kept;

    bool operator==(const LoadChoices&) const = default;
};

/// Loads a model of the family that `model` names. Throws Failure.
std::unique_ptr<VideoModel> loadModel(const families::ModelInfo& model, const LoadChoices& choices,
                                      const execution::Execution& execution);

/// What a render of the model takes when it is loaded so, of `available` bytes; nothing for a family that
/// can't say. Reads only configurations and headers of weights. Throws Failure.
std::optional<MemoryForecast> forecastMemory(const families::ModelInfo& model, const LoadChoices& choices,
                                             const catalog::RenderSettings& settings,
                                             const execution::Execution& execution, std::uint64_t available);

/// Whether models of that family can be loaded: what every family that the catalog knows must be.
bool canLoad(std::string_view family);

}  // namespace reelgrid::pipeline
