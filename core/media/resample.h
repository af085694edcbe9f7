#pragma once

#include "core/base/result.h"
#include "core/media/image.h"

namespace reelgrid::media {

/// What a pixel of the new picture is a weighted mean of the old one's by: the kernel's name in Pillow, whose
/// results these are, code for code (Pillow 13's: 12 never begins with the height). Shrinking widens it, so
/// that nothing is skipped.
enum class Filter { Bilinear, Bicubic, Lanczos };

/// The picture at another size.
RgbImage resized(const RgbImage& image, PictureSize size, Filter filter);

/// `size` pixels around the middle, black where the picture ends before.
RgbImage middleOf(const RgbImage& image, PictureSize size);

/// The smallest size of the picture's shape that covers `size`.
PictureSize coveringSize(PictureSize picture, PictureSize size);

/// The size of the picture's shape that has about `area` pixels, its sides multiples of `multiple` (rounded
/// down). BadUsage for a picture so long that a side would be none.
Result<PictureSize> sizeOfArea(PictureSize picture, double area, int multiple);

}  // namespace reelgrid::media
