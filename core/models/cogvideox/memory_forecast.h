#pragma once

#include <cstdint>

#include "core/pipeline/video_model.h"

namespace reelgrid::models::cogvideox {

/// pipeline::MemoryForecast of a render with the model loaded so: of each stage what it holds and works in.
/// `available` decides whether the VAE works in tiles where that is left open. Throws Failure.
pipeline::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                        const catalog::RenderSettings& settings,
                                        const pipeline::LoadOptions& options, std::uint64_t available);

}  // namespace reelgrid::models::cogvideox
