#include "core/denoising/guidance.h"

#include "core/models/layers/first_block_cache.h"

namespace reelgrid::denoising {

bool isGuided(const catalog::RenderSettings& settings) {
    return settings.guidanceScale > 1.0;
}

Guidance Guidance::from(const catalog::RenderSettings& settings) {
    Guidance guidance{.stepCache = settings.stepCache,
                      .stepCacheFrom = models::firstStepThatMaySkip(settings.numInferenceSteps),
                      .passes = settings.useTorchCompile ? Passes::Graphed : Passes::Called};
    if (isGuided(settings)) guidance.scale = [scale = settings.guidanceScale](int) { return scale; };
    return guidance;
}

at::Tensor guided(const at::Tensor& conditional, const at::Tensor& unconditional,
                  const GuidanceScale& scale) {
    return std::visit(
        [&](const auto& factor) { return unconditional + factor * (conditional - unconditional); }, scale);
}

}  // namespace reelgrid::denoising
