#pragma once

#include "core/catalog/render_settings.h"
#include "core/denoising/latent_noise.h"
#include "core/models/animatediff/config.h"
#include "core/models/animatediff/unet.h"

namespace reelgrid::models::animatediff {

/// What a render asks of motion modules with so many positions: which blocks have them, how strong they are,
/// and in which windows they see the frames. Throws Failure(BadUsage) naming the option, its value and what
/// was needed.
MotionOptions motionChoice(const catalog::RenderSettings& settings, const MotionConfig& motion);

/// Unit noise of a clip's latents [B, C, T, H, W]. Where windows don't reach its end the later frames' is
/// that of earlier ones in another order, if the render asks for it (FreeNoise, arXiv 2310.15169). Source:
/// diffusers 0.40, free_noise_utils.py (_prepare_latents_free_noise, "shuffle_context").
at::Tensor clipNoise(denoising::LatentNoise& noise, at::IntArrayRef shape_BCTHW,
                     const catalog::RenderSettings& settings, const MotionOptions& motion);

}  // namespace reelgrid::models::animatediff
