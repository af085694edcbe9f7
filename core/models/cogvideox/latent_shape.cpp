#include "core/models/cogvideox/latent_shape.h"

#include "core/families/offered_tasks.h"

namespace reelgrid::models::cogvideox {

vae::VaeParts vaePartsOf(const families::ModelInfo& model) {
    return families::takesPictures(model) ? vae::VaeParts::Both : vae::VaeParts::Decoder;
}

LatentFrames latentFramesOf(const CogVideoXTransformerConfig& config, const vae::VaeShape& vae,
                            const catalog::RenderSettings& settings) {
    const std::int64_t clip = (settings.numFrames - 1) / vae.temporalFactor + 1, patch = config.patchFrames();
    return {clip, (patch - clip % patch) % patch};
}

std::int64_t tokensOf(const CogVideoXTransformerConfig& config, const vae::VaeShape& vae,
                      const catalog::RenderSettings& settings) {
    const std::int64_t edge = vae.spatialFactor * config.patchSize;
    return latentFramesOf(config, vae, settings).all() / config.patchFrames() * (settings.height / edge) *
           (settings.width / edge);
}

}  // namespace reelgrid::models::cogvideox
