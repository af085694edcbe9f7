#pragma once

// Shape legend: B = 1 clip, C latent channels, T frames, H and W latent rows and columns, N tokens of the
// picture, X their channels.

#include <ATen/ATen.h>

#include "core/catalog/render_settings.h"
#include "core/denoising/latent_noise.h"
#include "core/denoising/stage_clock.h"
#include "core/media/image.h"
#include "core/vae/svd/svd_vae.h"
#include "core/vision/clip_image_processor.h"
#include "core/vision/clip_vision_encoder.h"

namespace reelgrid::models::svd {

/// CLIP's image encoder with what prepares pictures for it.
struct ImageEncoder {
    vision::ClipImageProcessor processor;
    vision::ClipVisionEncoder encoder;

    /// The whole picture, whatever its shape, as one token [1, 1, X].
    [[nodiscard]] at::Tensor encode(const media::RgbImage& image) const;
};

/// What a clip begins with, as the UNet is told of it.
struct GivenPicture {
    at::Tensor seen_1NX;       ///< as CLIP sees it
    at::Tensor latents_BCTHW;  ///< of the picture with noise on it, the same for all frames, not scaled
};

/// The picture at the clip's size, whose shape it has, or cut to it (--force-output-size).
media::RgbImage atClipsSize(const media::RgbImage& image, const catalog::RenderSettings& settings);

/// The picture's latents with the first of the clip's noise on its pixels: the mode of the posterior, for
/// each frame. fp32.
at::Tensor pictureLatents(const media::RgbImage& image, const catalog::RenderSettings& settings,
                          const vae::svd::SvdVae& vae, at::Device device, denoising::LatentNoise& noise,
                          const denoising::StageClock& clock);

}  // namespace reelgrid::models::svd
