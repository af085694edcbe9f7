#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "core/media/image.h"

namespace reelgrid::vision {

/// A picture at another size as Stable Video Diffusion's authors have it: blurred with a Gaussian as wide as
/// it is shrunk, then bicubic samples with aligned corners. [1, 3, rows, columns] fp32 within about [−1, 1],
/// the range that it is resized in. Source: diffusers 0.40, pipeline_stable_video_diffusion.py
/// (_resize_with_antialiasing).
at::Tensor antialiasedPicture(const media::RgbImage& image, std::int64_t rows, std::int64_t columns);

}  // namespace reelgrid::vision
