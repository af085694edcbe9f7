#pragma once

#include "core/base/result.h"
#include "core/media/av_handles.h"

namespace reelgrid::media {

/// A frame of RGB24 to be filled. OutOfMemory.
Result<FrameHandle> rgbFrame(int width, int height);

}  // namespace reelgrid::media
