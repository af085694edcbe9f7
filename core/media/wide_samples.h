#pragma once

#include "core/base/result.h"
#include "core/media/av_handles.h"

namespace reelgrid::media {

/// A PNG's frame of 16 bits a sample as RGB24, each the nearest of 8 bits (libswscale takes grey with alpha
/// for video's range, and rounds half of all values a code too high); others as they are. Alpha is left out.
/// OutOfMemory.
Result<FrameHandle> inEightBits(FrameHandle frame);

}  // namespace reelgrid::media
