#pragma once

#include <cstdint>

#include "core/catalog/render_settings.h"
#include "core/denoising/load_options.h"
#include "core/denoising/memory_forecast.h"
#include "core/families/model_info.h"

namespace reelgrid::models::cogvideox {

/// denoising::MemoryForecast of a render with the model loaded so: of each stage what it holds and works in.
/// `available` decides whether the VAE works in tiles where that is left open. Throws Failure.
denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available);

}  // namespace reelgrid::models::cogvideox
