#pragma once

#include "core/base/result.h"
#include "core/media/av_handles.h"

namespace reelgrid::media {

/// The same picture as RGB24, of one with a palette (AV_PIX_FMT_PAL8): each pixel its own colour exactly,
/// where swscale would mix those of neighbours. Alpha is left behind. OutOfMemory.
Result<FrameHandle> withoutPalette(const AVFrame& indexed);

}  // namespace reelgrid::media
