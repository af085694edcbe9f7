#pragma once

#include "core/media/av_handles.h"

namespace reelgrid::media {

/// When the file's first picture is shown; sound is timed from there on.
double firstPictureSeconds(const AVFormatContext& input);

/// The sound's stream; -1: there is none.
int soundStreamOf(const AVFormatContext& input);

}  // namespace reelgrid::media
