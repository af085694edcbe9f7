#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"
#include "core/parallel/rank_plan.h"

namespace reelgrid::pipeline {

/// What a pass of the render computes. Reads configurations and headers of weights. BadUsage where several
/// ranks can't share the model's renders.
Result<parallel::PassWork> passWorkOf(const families::ModelInfo& model,
                                      const catalog::RenderSettings& settings);

/// What the render takes of a GPU's memory at its fullest moment on each of several ranks.
std::optional<std::uint64_t> bytesOnRank(const families::ModelInfo& model, catalog::RenderSettings settings,
                                         const parallel::Degrees& degrees);

/// Whether each backend that the render asks for works in a ring.
bool mayRing(const catalog::RenderSettings& settings);

}  // namespace reelgrid::pipeline
