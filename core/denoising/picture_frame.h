#pragma once

#include <ATen/ATen.h>

#include "core/catalog/render_settings.h"
#include "core/media/image.h"
#include "core/media/resample.h"

namespace reelgrid::denoising {

/// Scaled until it covers that size, its middle kept.
media::RgbImage cutTo(const media::RgbImage& image, media::PictureSize size);

/// At the clip's size by the request's --picture-fit: stretched as diffusers stretches it, else cut.
media::RgbImage stretchedOrCut(const media::RgbImage& image, const catalog::RenderSettings& settings);

/// A picture as a VAE takes it: [3, 1, rows, columns] fp32 within [−1, 1].
at::Tensor frameOf(const media::RgbImage& image);

}  // namespace reelgrid::denoising
