#pragma once

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/picture_size.h"

namespace reelgrid::media {

/// How decoded pictures are meant to be seen: players turn them as the stream's display matrix says and
/// stretch samples that aren't square. Turning is by quarters; a matrix for any other angle goes to the
/// nearest.
struct Display {
    bool isTransposed = false;  ///< rows become columns, before any mirroring
    bool isMirroredAcross = false;
    bool isMirroredDown = false;
    bool isOblique = false;  ///< the matrix isn't near to any of these
    AVRational sampleAspect{1, 1};

    /// The size once samples are square, before turning: one side grows, none loses samples. InvalidData when
    /// no picture can be as large.
    [[nodiscard]] Result<PictureSize> squareSize(int width, int height) const;
};

/// What the first frame, or else the stream, says.
Display displayOf(AVFormatContext& input, AVStream& stream, AVFrame& frame);

}  // namespace reelgrid::media
