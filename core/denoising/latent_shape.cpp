#include "core/denoising/latent_shape.h"

#include "core/families/offered_tasks.h"

namespace reelgrid::denoising {

std::vector<std::int64_t> latentShape(const vae::VaeShape& vae, const catalog::RenderSettings& settings) {
    return {1, vae.zDim, (settings.numFrames - 1) / vae.temporalFactor + 1,
            settings.height / vae.spatialFactor, settings.width / vae.spatialFactor};
}

vae::VaeParts vaePartsOf(const families::ModelInfo& model) {
    return families::takesPictures(model) ? vae::VaeParts::Both : vae::VaeParts::Decoder;
}

}  // namespace reelgrid::denoising
