#pragma once

// Shape legend: P pictures.

#include <ATen/ATen.h>

#include "core/media/frame.h"

namespace reelgrid::perception {

/// Frames as 8-bit pictures [P, 3, rows, columns] on the device.
at::Tensor picturesOf(const media::RgbVideo& frames, at::Device device);

/// Within [−1, 1], as LPIPS takes them.
at::Tensor aroundZero(const at::Tensor& bytes_P3YX);

enum class Samples { Bilinear, Bicubic };

/// 8-bit pictures whose shorter side is `side`, still in codes: torchvision's Resize without antialiasing, as
/// VBench has it.
at::Tensor shorterSideAt(const at::Tensor& bytes_P3YX, std::int64_t side, Samples samples);
/// The square in the middle of such pictures: torchvision's CenterCrop.
at::Tensor middleSquare(const at::Tensor& pictures_P3YX, std::int64_t side);

/// Codes as CLIP or DINO take them: within [0, 1], less the mean colour, over the deviation.
at::Tensor normalisedForClip(const at::Tensor& codes_P3YX);
at::Tensor normalisedForDino(const at::Tensor& codes_P3YX);

}  // namespace reelgrid::perception
