#pragma once

#include <cstdint>

#include "core/catalog/render_settings.h"
#include "core/denoising/load_options.h"
#include "core/denoising/memory_forecast.h"
#include "core/families/model_info.h"
#include "core/parallel/rank_plan.h"

namespace reelgrid::models::wan {

/// denoising::MemoryForecast of a render with the model loaded so: of each stage what it holds and works in.
/// `available` decides whether a second expert is held beside the first. Throws Failure.
denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available);

/// What a pass of such a render computes (denoising::FamilyModel::work).
parallel::PassWork passWork(const families::ModelInfo& model, const catalog::RenderSettings& settings);

}  // namespace reelgrid::models::wan
