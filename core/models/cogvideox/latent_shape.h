#pragma once

#include <cstdint>

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"
#include "core/models/cogvideox/config.h"
#include "core/vae/video_vae.h"

namespace reelgrid::models::cogvideox {

/// Latent frames of a clip, and how many more come before them so that time's patches are whole.
struct LatentFrames {
    std::int64_t clip, padding;
    [[nodiscard]] std::int64_t all() const { return clip + padding; }
};
LatentFrames latentFramesOf(const CogVideoXTransformerConfig& config, const vae::VaeShape& vae,
                            const catalog::RenderSettings& settings);
/// Of video, in a render.
std::int64_t tokensOf(const CogVideoXTransformerConfig& config, const vae::VaeShape& vae,
                      const catalog::RenderSettings& settings);

/// Text-to-video never encodes.
vae::VaeParts vaePartsOf(const families::ModelInfo& model);

}  // namespace reelgrid::models::cogvideox
