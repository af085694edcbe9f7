#pragma once

#include <cstdint>

#include "core/catalog/render_settings.h"
#include "core/denoising/load_options.h"
#include "core/denoising/memory_forecast.h"
#include "core/families/model_info.h"

namespace reelgrid::models::cogvideox {

/// FamilyModel::forecast.
denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available);

}  // namespace reelgrid::models::cogvideox
