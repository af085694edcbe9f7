#include "core/denoising/guidance.h"

#include "core/execution/fused_values.h"
#include "core/models/layers/first_block_cache.h"
#include "core/protocol/index_ranges.h"

namespace reelgrid::denoising {

bool isGuided(const catalog::RenderSettings& settings) {
    return settings.guidanceScale > 1.0;
}

Guidance Guidance::from(const catalog::RenderSettings& settings) {
    Guidance guidance{.stepCache = settings.stepCache,
                      .stepCacheFrom = models::firstStepThatMaySkip(settings.numInferenceSteps),
                      .passes = settings.useTorchCompile ? Passes::Graphed : Passes::Called};
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
