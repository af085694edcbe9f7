#pragma once

#include <ATen/ATen.h>

#include "core/media/frame.h"

namespace reelgrid::denoising {

/// Appends frames_THWC (fp32, [T, H, W, 3] within [−1, 1]) to `video` as 8-bit RGB: round(127.5·(x + 1)), as
/// diffusers' image processor rounds. The video's width and height must be the frames'.
void appendFrames(media::RgbVideo& video, const at::Tensor& frames_THWC);

/// 16 → 16/1, 23.976 → 23976/1000: what a container stores.
media::Rational frameRate(double fps);

}  // namespace reelgrid::denoising
