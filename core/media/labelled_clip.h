#pragma once

#include <filesystem>
#include <string>

namespace reelgrid::media {

/// A clip in a comparison and what to call it.
struct LabelledClip {
    std::filesystem::path path;
    std::string label;
    double offsetSeconds = 0;           ///< at time t of the comparison it shows its own time t + offset
    int offsetFrames = 0;               ///< and from there so many frames further on
    std::filesystem::path soundFile{};  ///< where its sound is, if not in `path`
};

}  // namespace reelgrid::media
