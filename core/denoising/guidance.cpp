#include "core/denoising/guidance.h"

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
    return std::visit(
        [&](const auto& factor) { return unconditional + factor * (conditional - unconditional); }, scale);
}

}  // namespace reelgrid::denoising
