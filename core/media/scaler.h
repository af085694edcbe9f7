#pragma once

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/frame.h"

namespace reelgrid::media {

/// The memory layout and colour meaning of a picture, as swscale wants it.
struct ImageSpec {
    int width = 0;
    int height = 0;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    int space = SWS_CS_ITU709;  ///< SWS_CS_*: the YUV matrix; of no account for RGB
    bool fullRange = false;
};

/// Accurate conversion and (bicubic) scaling. A 4:2:0 source's chroma is taken to lie in the middle of its
/// 2×2 luma samples, as `ffmpeg -vf scale` does by default.
Result<ScalerHandle> makeScaler(const ImageSpec& from, const ImageSpec& to);

constexpr int swsSpaceOf(ColorMatrix matrix) {
    return matrix == ColorMatrix::Bt601 ? SWS_CS_ITU601 : SWS_CS_ITU709;
}

/// The planar YUV pixel format with this layout and depth (8, 9, 10, 12, 14 or 16 bits).
AVPixelFormat pixelFormatOf(ChromaLayout layout, int bitDepth);
/// What a decoded picture's planes are; AV_PIX_FMT_NONE for a depth that swscale doesn't take.
AVPixelFormat pixelFormatOf(const YuvFrame& frame);

}  // namespace reelgrid::media
