#pragma once

#include <cstdint>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"
#include "core/models/wan/config.h"
#include "core/vae/video_vae.h"

namespace reelgrid::models::wan {

/// [1, z, T, H, W] of a render's latents.
std::vector<std::int64_t> latentShapeOf(const vae::VaeShape& vae, const catalog::RenderSettings& settings);
/// Of a pass.
std::int64_t tokensOf(const WanTransformerConfig& config, const vae::VaeShape& vae,
                      const catalog::RenderSettings& settings);
/// The clip's, in models with channels for frames that are given, else the given picture; 0 without one.
int encodedFramesOf(const WanTransformerConfig& config, const vae::VaeShape& vae,
                    const catalog::RenderSettings& settings);
/// Text-to-video never encodes.
vae::VaeParts vaePartsOf(const families::ModelInfo& model);

}  // namespace reelgrid::models::wan
