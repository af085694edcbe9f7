#include "core/models/wan/latent_shape.h"

#include "core/families/offered_tasks.h"

namespace reelgrid::models::wan {

std::vector<std::int64_t> latentShapeOf(const vae::VaeShape& vae, const catalog::RenderSettings& settings) {
    return {1, vae.zDim, (settings.numFrames - 1) / vae.temporalFactor + 1,
            settings.height / vae.spatialFactor, settings.width / vae.spatialFactor};
}

std::int64_t tokensOf(const WanTransformerConfig& config, const vae::VaeShape& vae,
                      const catalog::RenderSettings& settings) {
    const auto shape_BCTHW = latentShapeOf(vae, settings);
    return shape_BCTHW[2] * (shape_BCTHW[3] / config.patchSize[1]) * (shape_BCTHW[4] / config.patchSize[2]);
}

int encodedFramesOf(const WanTransformerConfig& config, const vae::VaeShape& vae,
                    const catalog::RenderSettings& settings) {
    if (!settings.imgFilePath) return 0;
    return config.inChannels > vae.zDim ? settings.numFrames : 1;
}

vae::VaeParts vaePartsOf(const families::ModelInfo& model) {
    return families::takesPictures(model) ? vae::VaeParts::Both : vae::VaeParts::Decoder;
}

}  // namespace reelgrid::models::wan
