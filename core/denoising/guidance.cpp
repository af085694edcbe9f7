#include "core/denoising/guidance.h"

#include <algorithm>
#include <cmath>

#include "core/execution/fused_values.h"
#include "core/models/layers/first_block_cache.h"
#include "core/models/layers/mag_cache.h"
#include "core/protocol/index_ranges.h"

namespace reelgrid::denoising {

bool isGuided(const catalog::RenderSettings& settings) {
    return settings.guidanceScale > 1.0;
}

namespace {

/// Each method leaves the steps whole that its authors do.
void setStepCache(Guidance& guidance, const catalog::RenderSettings& settings) {
    using Method = protocol::StepCache::Method;
    const int steps = settings.numInferenceSteps;
    guidance.stepCache = settings.stepCache;
    switch (settings.stepCache.method) {
        case Method::FirstBlock:
            guidance.stepCacheFrom = models::firstStepThatMaySkip(steps);
            break;
        case Method::TeaCache: {
            constexpr double kWholePart = 0.1;  // 5 of Wan's 50
            guidance.stepCacheFrom = std::max(1, static_cast<int>(std::ceil(kWholePart * steps)));
            guidance.stepCacheBefore = steps - 1;
            break;
        }
        case Method::MagCache:
            guidance.stepCacheFrom = static_cast<int>(settings.stepCache.wholeShare * steps + 0.5);
            guidance.stepCache.curve = models::nearestCurve(settings.stepCache.curve, steps);
            break;
        case Method::TaylorSeer:
        case Method::Record:
            break;
    }
}

}  // namespace

Guidance Guidance::from(const catalog::RenderSettings& settings) {
    Guidance guidance{.passes = settings.useTorchCompile ? Passes::Graphed : Passes::Called};
    setStepCache(guidance, settings);
    if (isGuided(settings)) guidance.scale = [scale = settings.guidanceScale](int) { return scale; };
    if (guidance.scale && !settings.skipGuidanceLayers.empty())
        guidance.skippedLayers = {.scale = settings.skipLayerGuidanceScale,
                                  .after = settings.numInferenceSteps * settings.skipLayerGuidanceStart,
                                  .before = settings.numInferenceSteps * settings.skipLayerGuidanceStop};
    return guidance;
}

std::vector<int> layersSkippedBy(const catalog::RenderSettings& settings, std::int64_t layers) {
    if (settings.skipGuidanceLayers.empty()) return {};
    return protocol::indicesFrom(settings.skipGuidanceLayers, "layer", static_cast<int>(layers)).value();
}

at::Tensor guided(const at::Tensor& conditional, const at::Tensor& unconditional,
                  const GuidanceScale& scale) {
    execution::FusedValues values;
    const auto from = values.of(unconditional), way = values.of(conditional) - from;
    if (const auto* ofFrames = std::get_if<at::Tensor>(&scale))
        return values.made(from + values.of(*ofFrames) * way);
    return values.made(from + std::get<double>(scale) * way);
}

}  // namespace reelgrid::denoising
