#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/denoising/load_options.h"
#include "core/denoising/memory_forecast.h"
#include "core/denoising/model_faults.h"
#include "core/denoising/video_model.h"
#include "core/parallel/rank_plan.h"

namespace reelgrid::pipeline {

using denoising::Encoders;
using denoising::MemoryForecast;
using denoising::Offload;

/// What a request says of how its model is loaded, by the options of these names.
struct LoadChoices {
    std::string dtype = "fp32";
    std::string vaeDtype = "fp32";
    std::vector<std::string> lora{}, lora2{};
    std::string linear{};  ///< resolved RenderFields::linear; a dtype: products in it
    bool useBf16TeGemms = false;
    Offload offload = Offload::None;
    int weightShards = 1;  ///< ranks each of which holds one part of the blocks' weights
    Encoders encoders = Encoders::Kept;

    bool operator==(const LoadChoices&) const = default;
};

/// Loads a model of the family that `model` names. Throws Failure.
std::unique_ptr<denoising::VideoModel> loadModel(const families::ModelInfo& model, const LoadChoices& choices,
                                                 const execution::Execution& execution);

/// What a render of the model takes when it is loaded so, of `available` bytes; nothing for a family that
/// can't say. Reads only configurations and headers of weights. Throws Failure.
std::optional<MemoryForecast> forecastMemory(const families::ModelInfo& model, const LoadChoices& choices,
                                             const catalog::RenderSettings& settings,
                                             const execution::Execution& execution, std::uint64_t available);

/// What a pass of the render computes; nothing for a family whose passes ranks don't share. Throws Failure.
std::optional<parallel::PassWork> passWork(const families::ModelInfo& model,
                                           const catalog::RenderSettings& settings);

/// Names and shapes of a model's parameters against what its configurations need, without reading them.
/// Throws Failure where the family can't be run.
denoising::ModelFaults findFaults(const families::ModelInfo& model);

/// A line for each file of the model's network and VAE with tensors that no layer takes. Reads headers alone.
/// Throws Failure where a file can't be read or the family can't be run.
std::vector<std::string> untakenTensors(const families::ModelInfo& model);

/// Whether models of that family can be loaded: what every family that the catalog knows must be.
bool canLoad(std::string_view family);

}  // namespace reelgrid::pipeline
