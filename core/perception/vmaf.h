#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/metrics/series.h"

namespace reelgrid::perception {

/// An FFmpeg with the filter libvmaf: REELGRID_FFMPEG, else `ffmpeg` on the PATH.
struct VmafProgram {
    std::filesystem::path program;
    std::string version;  ///< of FFmpeg

    /// NotFound or Unsupported, naming the program, where there is none.
    static Result<VmafProgram> find();
};

struct VmafScore {
    metrics::Series series;  ///< of each frame, 0 to 100
    std::string with;        ///< "vmaf_v0.6.1, libvmaf 3.0.0, FFmpeg 7.0.2"
};

/// FFmpeg's filters for a clip whose first `frames` frames are held against another's by their numbers: each
/// is at that number of one clock, whatever time base the container has, so that none is rounded to before
/// its fellow.
std::string framesByNumber(int frames);

/// The video stream of the `input`th file of FFmpeg's command line, for its filters: the one that a clip's
/// frames are read from, not the first. "[0:2]"; "[0:v]" of a file that can't be read.
std::string videoOf(int input, const std::filesystem::path& file);

/// Netflix' VMAF of a clip's first `frames` frames against the reference's, frame by frame whatever their
/// times. Both are decoded by that FFmpeg.
Result<VmafScore> vmaf(const VmafProgram& program, const std::filesystem::path& clip,
                       const std::filesystem::path& reference, int frames, const std::stop_token& stop);

}  // namespace reelgrid::perception
