#pragma once

#include <ATen/ATen.h>

#include "core/media/image.h"
#include "core/media/resample.h"

namespace reelgrid::denoising {

/// Scaled until it covers that size, its middle kept.
media::RgbImage cutTo(const media::RgbImage& image, media::PictureSize size);

/// A picture as a VAE takes it: [3, 1, rows, columns] fp32 within [−1, 1].
at::Tensor frameOf(const media::RgbImage& image);

}  // namespace reelgrid::denoising
