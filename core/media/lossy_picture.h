#pragma once

#include <string>

#include "core/base/result.h"
#include "core/media/av_handles.h"

namespace reelgrid::media {

// JPEG and WebP by the libraries that Pillow has: FFmpeg's own decoders differ from them by up to 37 codes
// where chroma is at half the size. Each gives RGB24 frames, not turned, transparency left out. InvalidData
// where the bytes are damaged or too large (image_limits.h), Unsupported for what isn't one picture,
// OutOfMemory.

/// libjpeg-turbo: accurate DCT, smoothed chroma. CMYK becomes RGB as in Pillow.
Result<FrameHandle> decodeJpeg(const std::string& bytes);

/// libwebp.
Result<FrameHandle> decodeWebp(const std::string& bytes);

}  // namespace reelgrid::media
