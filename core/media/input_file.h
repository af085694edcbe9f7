#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/media/av_handles.h"
#include "core/media/containers.h"

namespace reelgrid::media {

/// Opens a file for reading by what it holds, whatever its name. Only containers that a clip can be in are
/// taken: a playlist, a script or a sequence of images would have FFmpeg open whatever it names. No container
/// gets to open a second file either (a QuickTime movie may keep its pictures in another one).
Result<InputHandle> openInput(const std::filesystem::path& path);

/// Fills in what the header leaves out by decoding a little, within our limits on picture size and threads.
/// FFmpeg's status.
int probeStreams(AVFormatContext& input);

/// The row of the list for what an input is read with.
const ContainerFormat& formatOf(const AVFormatContext& input);

/// Whether a demuxer is the one of MP4 and QuickTime.
bool isMp4(const AVInputFormat& demuxer);

}  // namespace reelgrid::media
