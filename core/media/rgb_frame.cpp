#include "core/media/rgb_frame.h"

#include "core/media/av_error.h"

namespace reelgrid::media {

Result<FrameHandle> rgbFrame(int width, int height) {
    FrameHandle frame(av_frame_alloc());
    if (!frame) return Error{ErrorCode::OutOfMemory, "no memory for a picture"};
    frame->width = width;
    frame->height = height;
    frame->format = AV_PIX_FMT_RGB24;
    if (const int failed = av_frame_get_buffer(frame.get(), 0); failed < 0)
        return avError("picture buffer", failed);
    return frame;
}

}  // namespace reelgrid::media
