#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/catalog/render_settings.h"
#include "core/denoising/component_checks.h"
#include "core/denoising/load_options.h"
#include "core/denoising/memory_forecast.h"
#include "core/denoising/video_model.h"
#include "core/families/model_info.h"
#include "core/parallel/rank_plan.h"

namespace reelgrid::denoising {

/// What runs the models of some families; core/families says what they are.
struct FamilyModel {
    std::span<const std::string_view> families;  ///< Family::name

    /// Throws Failure naming the file and what is wrong with it.
    std::unique_ptr<VideoModel> (*load)(const families::ModelInfo& model, const LoadOptions& options);

    /// What a render takes with the model loaded so: of each stage what it holds and works in. Where the
    /// request leaves it open, `available` bytes decide what is in memory together, and whether the VAE works
    /// in tiles. Reads only configurations and headers of weights. Throws Failure. Null: none is predicted.
    MemoryForecast (*forecast)(const families::ModelInfo& model, const catalog::RenderSettings& settings,
                               const LoadOptions& options, std::uint64_t available) = nullptr;

    /// What a pass of the render computes, for a family whose passes several ranks can share; null for
    /// others. Reads only configurations and headers of weights. Throws Failure.
    parallel::PassWork (*work)(const families::ModelInfo& model,
                               const catalog::RenderSettings& settings) = nullptr;

    /// How each component takes its parameters. Throws Failure.
    ComponentChecks (*checks)(const families::ModelInfo& model);
};

}  // namespace reelgrid::denoising
