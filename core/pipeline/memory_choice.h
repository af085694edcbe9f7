#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/pipeline/family_registry.h"

namespace reelgrid::pipeline {

/// Where a model's parts lie during a render, and what that comes to.
struct MemoryChoice {
    Offload offload = Offload::None;
    Encoders encoders = Encoders::Kept;
    std::optional<MemoryForecast> forecast{};  ///< absent: the family predicts none
};

/// What a render would take with its parts like this; nothing for a family that can't say.
using ForecastFor = std::function<std::optional<MemoryForecast>(Offload offload, Encoders encoders)>;

/// The first that fits into `available` bytes of: everything held, encoders freed after use, blocks in host
/// memory, too; the last one that `offload` (a name of --offload) allows where none does.
MemoryChoice chooseMemory(const std::string& offload, std::uint64_t available, const ForecastFor& forecast);

/// "--offload blocks", "--vae-tiling on": what would make a render take less.
std::vector<std::string> optionsThatNeedLess(const catalog::RenderSettings& settings,
                                             const families::ModelInfo& model);
/// "--offload blocks, --vae-tiling on, a smaller size or fewer frames": what a render that needs too much
/// could be asked for with.
std::string waysToNeedLess(const catalog::RenderSettings& settings, const families::ModelInfo& model);

}  // namespace reelgrid::pipeline
