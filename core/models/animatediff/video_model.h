#pragma once

#include <memory>

#include "core/denoising/component_checks.h"
#include "core/denoising/load_options.h"
#include "core/denoising/memory_forecast.h"
#include "core/denoising/video_model.h"
#include "core/families/model_info.h"

namespace reelgrid::models::animatediff {

/// A Stable Diffusion 1.5 model with its motion adapter. Throws Failure naming the file and what is wrong
/// with it.
std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options);

/// As denoising::FamilyModel says.
denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available);

/// FamilyModel::checks
denoising::ComponentChecks componentChecks(const families::ModelInfo& model);

}  // namespace reelgrid::models::animatediff
