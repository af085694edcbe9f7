#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"
#include "core/models/wan/experts.h"

namespace reelgrid::models::wan {

/// In how many of a render's steps each expert predicts.
using ExpertSteps = std::array<int, Experts::kMost>;

/// A line for each setting of one of two experts that decides nothing: its guidance where there is none, or
/// where the expert predicts in no step; likewise its LoRAs. What `own`, the model's defaults, say is no
/// choice of the user's, and what the other expert has as well needs no line.
std::vector<std::string> idleExpertSettings(const catalog::RenderSettings& settings,
                                            const families::RenderDefaults& own, const ExpertSteps& steps);

}  // namespace reelgrid::models::wan
