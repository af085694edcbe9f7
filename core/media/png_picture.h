#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/media/av_handles.h"

namespace reelgrid::media {

/// What every PNG file begins with.
inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

/// FFmpeg's frame of a whole PNG file, with its text chunks as metadata. InvalidData where it can't be
/// decoded or is too large (image_limits.h), Unsupported without a decoder, OutOfMemory.
Result<FrameHandle> decodePng(const std::string& bytes);

}  // namespace reelgrid::media
