#pragma once

#include <cstdint>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"
#include "core/vae/video_vae.h"

namespace reelgrid::denoising {

/// [1, z, T, H, W] of a render's latents.
std::vector<std::int64_t> latentShape(const vae::VaeShape& vae, const catalog::RenderSettings& settings);

/// What is loaded of the model's VAE: one that takes no pictures never encodes.
vae::VaeParts vaePartsOf(const families::ModelInfo& model);

}  // namespace reelgrid::denoising
