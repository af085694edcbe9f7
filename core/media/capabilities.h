#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::media {

/// The encoder that a container is written with, and whether this machine's FFmpeg has it.
struct EncoderSupport {
    std::string container;  ///< "mp4", "webm", "gif"
    std::string name;       ///< FFmpeg's name of the encoder
    bool present = false;
};

/// What the FFmpeg that this program runs with can do.
struct Capabilities {
    std::string version;  ///< of FFmpeg's libraries, as they call themselves
    std::vector<EncoderSupport> encoders;
    Result<void> labels;  ///< an error when labels can't be drawn (no font, no drawtext)
};

Capabilities inspectCapabilities();

/// Capabilities::version alone.
std::string ffmpegVersion();

}  // namespace reelgrid::media
