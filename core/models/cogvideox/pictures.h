#pragma once

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

#include <ATen/ATen.h>

#include "core/catalog/render_settings.h"
#include "core/denoising/latent_noise.h"
#include "core/denoising/stage_clock.h"
#include "core/vae/cogvideox/cogvideox_vae.h"

namespace reelgrid::models::cogvideox {

/// What image-to-video models see beside the latents of `latentFrames`, as channels: the latents of the
/// request's picture, drawn from the VAE's posterior with the first of the clip's noise, then nothing.
/// [1, C, T, H, W] fp32. Throws Failure naming the file.
at::Tensor pictureLatents(const catalog::RenderSettings& settings, const vae::cogvideox::CogVideoXVae& vae,
                          std::int64_t latentFrames, at::Device device, denoising::LatentNoise& noise,
                          denoising::StageClock& clock);

}  // namespace reelgrid::models::cogvideox
