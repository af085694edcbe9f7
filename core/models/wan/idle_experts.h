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

/// Those that the model's own boundary gives, beside those of the settings.
struct ExpertShares {
    ExpertSteps own{}, asked{};
};

/// A line for each setting of two experts that decides nothing: guidance where there is none, or where its
/// expert predicts in no step; likewise LoRAs; a boundary that gives no step to the other expert. What `own`,
/// the model's defaults, say is no choice of the user's, and what the other expert has as well needs no line.
std::vector<std::string> idleExpertSettings(const catalog::RenderSettings& settings,
                                            const families::RenderDefaults& own, const ExpertShares& shares);

}  // namespace reelgrid::models::wan
